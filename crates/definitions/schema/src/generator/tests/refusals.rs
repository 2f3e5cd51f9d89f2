//! The error messages of a refused generator.toml, as its author sees them.

use super::zoo;
use crate::generator::Generator;

fn refusal(rules: &str, size_bytes: Option<u32>) -> String {
    let text = format!("seed = 1\nsamples = 10\n{rules}");
    match Generator::from_toml(&text, "payloads/zoo/generator.toml", &zoo(), size_bytes) {
        Ok(_) => panic!("accepted: {rules}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn refused(rules: &str, parts: &[&str]) {
    let message = refusal(rules, None);
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn keys_that_nothing_reads_are_refused_with_the_nearest() {
    refused("sed = 3", &["payloads/zoo/generator.toml:3:", "unknown key `sed`", "did you mean `seed`?"]);
    refused("[default.integers]\nzero = 0", &[":3:", "did you mean `integer`?"]);
    refused("[[field]]\npath = \"a\"\nrnage = [0, 1]", &[":5:", "did you mean `range`?"]);
    refused(
        "[[profile]]\nname = \"x\"\nweight = 1\nfoo = 1",
        &[":6:", "known here are: name, weight, default, field"],
    );
    refused("[[field]]\npath = \"k\"\nweights = { COLOUR_REDD = 1 }", &["did you mean `COLOUR_RED`?"]);
}

#[test]
fn fewer_distinct_samples_than_the_set_has_are_refused() {
    refused(
        "distinct = 9",
        &[":3:", "`distinct` is out of its range", "give an integer from 10 to 4294967295"],
    );
}

#[test]
fn paths_that_name_nothing_are_refused_with_the_nearest() {
    refused(
        "[[field]]\npath = \"parnt.a\"",
        &[":4:", "zoo.Animal has no field `parnt.a`", "did you mean `parent.a`?"],
    );
    refused("[[field]]\npath = \"**.childern\"", &["did you mean `**.children`?"]);
    refused("[[field]]\npath = \"a.b\"", &["has no field `a.b`"]);
}

#[test]
fn values_that_a_key_or_a_field_cannot_have_are_refused() {
    refused(
        "[[field]]\npath = \"oa\"\npresence = 1.5",
        &["`presence` 1.5 is not a probability", "from 0 to 1"],
    );
    refused("[[field]]\npath = \"a\"\nrange = [5, 1]", &["`range` is reversed", "[lowest, highest]"]);
    refused("[[field]]\npath = \"a\"\nrange = [0.5, 1]", &["has a fraction", "zoo.Animal.a is an integer"]);
    refused(
        "[[field]]\npath = \"c\"\nrange = [-1, 1]",
        &["does not fit into zoo.Animal.c", "stay within 0 to 4294967295"],
    );
    refused("[[field]]\npath = \"a\"\ndecimals = 1", &["`decimals` has no meaning for the fields"]);
    refused("[default.float]\ntruth = 0.5", &["`truth` has no meaning for `float` fields"]);
    refused(
        "[[field]]\npath = \"i\"\nchoices = [\"a\"]\nlength = 3",
        &["`length` can't be combined with `choices`"],
    );
    refused(
        "[[field]]\npath = \"i\"\npattern = \"{sequence:x}\"",
        &["`x` in `{sequence:x}`", "known places"],
    );
    refused("[[field]]\npath = \"i\"\nstyle = \"text\"", &["`style` requires a `length`"]);
    refused(
        "[[field]]\npath = \"i\"\ntimestamp = { start = 2018-01-01 }",
        &["is not a point in time", "offset"],
    );
    refused("[[field]]\npath = \"k\"\nweights = { COLOUR_RED = 0 }", &["no weight above 0"]);
    refused("[[field]]\nzero = 0.5", &[":3:", "`path` is missing"]);
    refused("[[profile]]\nname = \"x\"\nweight = 0", &["only profiles of weight 0"]);
    refused("field = 3", &["is a TOML integer, not a list of tables"]);
    refused("[[field]\n", &[":3:", "this is not TOML"]);
}

#[test]
fn presence_of_a_oneofs_member_is_refused_and_of_the_oneof_is_not() {
    refused("[[field]]\npath = \"grams\"\npresence = 0.5", &["`presence` has no meaning for the fields"]);
    let text = "seed = 1\nsamples = 1\n[[field]]\npath = \"food\"\npresence = 0.5";
    assert!(Generator::from_toml(text, "generator.toml", &zoo(), None).is_ok());
}

#[test]
fn a_size_must_be_both_given_and_used() {
    refused("[[field]]\npath = \"j\"\nlength = \"size\"", &[":5:", "none was given", "opaque@1024"]);
    assert!(refusal("", Some(7)).contains("without `@7`"));
}
