//! Validates what commands print for programs against the published schemas.

use crate::stand::{fed_to, wiredyno};

pub fn against_schemas() {
    let script = "import json, sys, jsonschema\n\
                  schema, printed = json.load(open(sys.argv[1])), json.load(sys.stdin)\n\
                  jsonschema.Draft202012Validator.check_schema(schema)\n\
                  validator = jsonschema.Draft202012Validator(schema)\n\
                  print(*(f'{e.json_path}: {e.message}' for e in validator.iter_errors(printed)), sep='\\n')\n\
                  one = printed[0] if isinstance(printed, list) else printed\n\
                  one['id'] = 7\n\
                  print('a number is not an id:', not validator.is_valid(printed))";
    for arguments in [
        &["list", "--json"][..],
        &["list", "codecs", "--payload", "person", "--json"],
        &["show", "payload", "person", "--json"],
        &["show", "study", "demo", "--json"],
        &["show", "link", "lte", "--json"],
        &["doctor", "--json"],
    ] {
        let printed = wiredyno(arguments).well();
        let schema = format!("{}/../../../docs/{}.schema.json", env!("CARGO_MANIFEST_DIR"), arguments[0]);
        let text = fed_to(crate::python().args(["-c", script, &schema]), &printed).well();
        assert_eq!(text.trim(), "a number is not an id: True", "{arguments:?}");
    }
}
