fn main(){}
#[test] fn warm() { for s in wiredyno_testkit::rust::subjects(|_| true).unwrap() { println!("{} {:?} {}", s.name(), s.program, s.description().codecs.len()); } }
