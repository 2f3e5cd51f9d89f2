"""Encodes values with a foreign ASN.1 implementation and compares with what the Rust codecs wrote.

Argument: asn1tools, pycrate or etsi. One JSON object a line on stdin: {"payload", "root", "module"} announces a module;
{"payload", "rules", "hex", "value"} is a case. In values {"$hex"} is an OCTET STRING, {"$choice": [name, value]} a
CHOICE, {"$enum": [name, number]} an ENUMERATED. For etsi the module is the one that pycrate holds, components and
alternatives are found by their names without hyphens, enumerations by number.
"""
import importlib
import json
import os
import sys
import tempfile


def value(of):
    if isinstance(of, list):
        return [value(element) for element in of]
    if not isinstance(of, dict):
        return of
    if "$hex" in of:
        return bytes.fromhex(of["$hex"])
    if "$choice" in of:
        name, chosen = of["$choice"]
        return (name, value(chosen))
    if "$enum" in of:
        return of["$enum"][0]
    return {name: value(member) for name, member in of.items()}


class Asn1tools:
    # asn1tools' names of the encoding rules.
    RULES = {"uper": "uper", "aper": "per", "oer": "oer", "coer": "oer", "der": "der"}

    def __init__(self, case):
        import asn1tools

        compiled = {}
        for name in set(self.RULES.values()):
            compiled[name] = asn1tools.compile_string(case["module"], name)
        self.root, self.compiled = case["root"], compiled

    def encode(self, rules, wanted):
        return bytes(self.compiled[self.RULES[rules]].encode(self.root, value(wanted)))

    def decode(self, rules, data):
        return self.compiled[self.RULES[rules]].decode(self.root, data)


class Pycrate:
    count = 0

    def __init__(self, case):
        from pycrate_asn1c.asnproc import (
            GLOBAL,
            PycrateGenerator,
            compile_text,
            generate_modules,
        )

        Pycrate.count += 1
        name = f"module_{Pycrate.count}"
        # The compiler prints to stdout.
        printed = os.dup(1)
        os.dup2(2, 1)
        try:
            # Otherwise earlier modules would be compiled again.
            GLOBAL.clear()
            compile_text(case["module"])
            generate_modules(PycrateGenerator, os.path.join(FOLDER, name + ".py"))
        finally:
            sys.stdout.flush()
            os.dup2(printed, 1)
        module = getattr(importlib.import_module(name), case["root"] + "Module")
        self.object = getattr(module, case["root"].replace("-", "_"))

    def encode(self, rules, wanted):
        self.object.set_val(value(wanted))
        return getattr(self.object, "to_" + rules)()

    def decode(self, rules, data):
        getattr(self.object, "from_" + rules)(data)
        return self.object.get_val()


class Etsi:
    def __init__(self, case):
        from pycrate_asn1dir import ITS

        module = {"Cam": ITS.CAM_PDU_Descriptions.CAM, "Denm": ITS.DENM_PDU_Descriptions.DENM}
        self.object = module[case["root"]]

    def encode(self, rules, wanted):
        self.object.set_val(self.named(self.object, wanted))
        return getattr(self.object, "to_" + rules)()

    def decode(self, rules, data):
        getattr(self.object, "from_" + rules)(data)
        return self.object.get_val()

    def named(self, thing, wanted):
        """The value with the standard's names."""
        if thing.TYPE == "SEQUENCE":
            return dict(self.component(thing, name, member) for name, member in wanted.items())
        if thing.TYPE == "CHOICE":
            return self.component(thing, *wanted["$choice"])
        if thing.TYPE == "ENUMERATED":
            number = wanted["$enum"][1]
            return next(name for name, known in thing._cont.items() if known == number)
        if thing.TYPE == "BIT STRING":
            return (wanted, thing._const_sz.root[0])
        return wanted

    def component(self, thing, name, member):
        def plain(text):
            return text.replace("-", "").lower()
        (known,) = (known for known in thing._cont if plain(known) == plain(name))
        return known, self.named(thing._cont[known], member)


TOOLS = {"asn1tools": Asn1tools, "pycrate": Pycrate, "etsi": Etsi}

with tempfile.TemporaryDirectory() as FOLDER:
    sys.path.insert(0, FOLDER)
    tool, checked = {}, 0
    for line in sys.stdin:
        case = json.loads(line)
        payload = case["payload"]
        if "module" in case:
            tool[payload] = TOOLS[sys.argv[1]](case)
            continue
        data, rules = bytes.fromhex(case["hex"]), case["rules"]
        try:
            written = tool[payload].encode(rules, case["value"])
            same = written == data
            if not same and rules == "oer":
                # Basic OER leaves choices to the sender.
                same = tool[payload].decode(rules, data) == tool[payload].decode(rules, written)
        except Exception as error:
            sys.exit(f"{payload} {rules}: {error!r}\n  ours   {case['hex']}\n  {case['value']}")
        if not same:
            sys.exit(f"{payload} {rules}:\n  theirs {written.hex()}\n  ours   {case['hex']}\n  {case['value']}")
        checked += 1
    print(checked)
