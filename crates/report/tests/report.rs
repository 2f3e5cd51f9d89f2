mod made_up;
#[test]
fn dump() {
    let s = made_up::summary();
    std::fs::write(
        "/tmp/report.html",
        wiredyno_report::render(&s, wiredyno_report::Format::Html).unwrap(),
    )
    .unwrap();
    std::fs::write(
        "/tmp/report.md",
        wiredyno_report::render(&s, wiredyno_report::Format::Markdown).unwrap(),
    )
    .unwrap();
    println!("{}", wiredyno_report::terminal(&s));
}
