use super::*;

const WHOLE: &str = r#"
about = "a test"
source = "ours"
mtu = 1400
congestion = "reno"

[round_trip]
mean = "69.5ms"
deviation = "5.6ms"
every = "1s"

[up]
rate = "10mbit"
loss = "1%"
queue = { packets = 100, bytes = 150000 }

[down]
delay = "35ms"
jitter = "2ms"
loss = 0.02
"#;

fn parse(text: &str) -> Result<LinkSpec, String> {
    LinkSpec::parse(text, Path::new("links/x.toml")).map_err(|e| e.to_string())
}

#[test]
fn a_whole_link_is_read() {
    let link = parse(WHOLE).unwrap();
    assert_eq!(link.id, "x");
    assert_eq!(link.round_trip.unwrap().mean, Span { ns: 69_500_000 });
    assert_eq!(link.up.rate, RateSpec::Constant { rate: BitRate { bits_per_s: 10_000_000 } });
    assert_eq!(link.up.loss, LossSpec::Independent { share: Ratio::new(0.01).unwrap() });
    assert_eq!(link.down.loss, LossSpec::Independent { share: Ratio::new(0.02).unwrap() });
    assert_eq!(link.down.jitter, Span { ns: 2_000_000 });
    assert_eq!(link.mtu_bytes, 1400);
    let text = serde_json::to_string(&link).unwrap();
    assert_eq!(serde_json::from_str::<LinkSpec>(&text).unwrap(), link);
}

#[test]
fn a_study_loss_replaces_the_links_own() {
    let link = parse(WHOLE).unwrap().with_loss(0.25);
    let expected = LossSpec::Independent { share: Ratio::new(0.25).unwrap() };
    assert_eq!((link.up.loss, link.down.loss), (expected, expected));
}

#[test]
fn a_link_may_shape_one_direction_alone() {
    let one = WHOLE.replace("every = \"1s\"", "every = \"1s\"\non = \"down\"");
    let one = one.replace("rate = \"10mbit\"", "own_loss = true\nrate = \"10mbit\"");
    let link = parse(&one).unwrap();
    assert_eq!(link.round_trip.unwrap().on, Some(Direction::Down));
    let lossy = link.clone().with_loss(0.25);
    let share = |ratio| LossSpec::Independent { share: Ratio::new(ratio).unwrap() };
    assert_eq!((lossy.up.loss, lossy.down.loss), (share(0.01), share(0.25)));
    let text = serde_json::to_string(&link).unwrap();
    assert_eq!(serde_json::from_str::<LinkSpec>(&text).unwrap(), link);
    let plain = serde_json::to_string(&parse(WHOLE).unwrap()).unwrap();
    assert!(!plain.contains("own_loss") && !plain.contains("\"on\""), "digests of old runs stay: {plain}");
}

#[test]
fn an_unknown_key_is_refused_with_line_and_nearest_key() {
    let error = parse(&WHOLE.replace("delay = ", "dealy = ")).unwrap_err();
    assert!(error.starts_with("links/x.toml:18: unknown field `dealy`"), "{error}");
    assert!(error.ends_with("did you mean `delay`?"), "{error}");
}

#[test]
fn contradictions_are_refused() {
    let cases = [
        ("rate = \"10mbit\"", "rate = \"0bit\"", 13, "rate_floor"),
        ("rate = \"10mbit\"", "", 15, "queue limit without a rate"),
        ("mtu = 1400", "mtu = 100", 4, "576"),
        ("every = \"1s\"", "every = \"0s\"", 10, "every"),
        ("\"1%\"", "\"101%\"", 14, "ratio"),
        ("packets = 100", "packets = 0", 15, "queue of 0"),
    ];
    for (from, to, line, expected) in cases {
        let error = parse(&WHOLE.replace(from, to)).unwrap_err();
        assert!(error.starts_with(&format!("links/x.toml:{line}: ")), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn losses_in_bursts_and_faults_on_purpose_are_read() {
    let text = WHOLE.replace("loss = \"1%\"", "gilbert_elliott = { p = \"1%\", r = 0.25 }")
        + "[[fault]]\nkind = \"reorder\"\ndirection = \"up\"\nprotocol = \"udp\"\nshare = \"5%\"\nbehind = 3\n\
               [[fault]]\nkind = \"flip-bit\"\ndirection = \"down\"\nprotocol = \"tcp\"\npackets = [0, 7]\n\
               from_byte = 8\nleast_payload = 100\n";
    let link = parse(&text).unwrap();
    let share = |ratio| Ratio::new(ratio).unwrap();
    let (p, r) = (share(0.01), share(0.25));
    let expected = LossSpec::GilbertElliott { p, r, loss_good: share(0.0), loss_bad: share(1.0) };
    assert_eq!(link.up.loss, expected);
    assert_eq!(link.faults.len(), 2);
    assert_eq!(link.faults[0].fault, Fault::Reorder { behind: 3, at_most: DEFAULT_HOLD });
    assert_eq!(link.faults[0].strikes, Strikes::Ratio { share: share(0.05) });
    assert_eq!(link.faults[1].fault, Fault::FlipBit { from_byte: 8 });
    assert_eq!(link.faults[1].strikes, Strikes::Packets { numbers: vec![0, 7] });
    let json = serde_json::to_string(&link).unwrap();
    assert_eq!(serde_json::from_str::<LinkSpec>(&json).unwrap(), link);
    for (from, to, expected) in [
        ("behind = 3", "behind = 0", "reorders nothing"),
        ("from_byte = 8", "behind = 8", "only kind"),
        ("share = \"5%\"", "", "say which packets"),
        ("behind = 3", "behnd = 3", "did you mean `behind`?"),
        ("r = 0.25", "r = 0", "never ends"),
        ("gilbert_elliott", "loss = 0.1\ngilbert_elliott", "only one of `loss`"),
    ] {
        let error = parse(&text.replace(from, to)).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn bursts_of_a_mean_length_make_up_the_share() {
    let share = |ratio| Ratio::new(ratio).unwrap();
    let spec = LossSpec::in_bursts(share(0.05), 4.0).unwrap();
    assert!((spec.stationary() - 0.05).abs() < 1e-12);
    assert!(matches!(spec, LossSpec::GilbertElliott { r, .. } if r == share(0.25)));
    assert_eq!(LossSpec::in_bursts(share(0.05), 0.5), None);
    assert_eq!(LossSpec::in_bursts(share(0.05), f64::NAN), None);
    assert_eq!(LossSpec::in_bursts(share(1.0), 4.0), None);
    assert_eq!(LossSpec::in_bursts(share(0.9), 1.0), None, "single losses are at most every second packet");
}

#[test]
fn a_trace_file_is_read_from_beside_the_link() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("drive.csv");
    std::fs::write(&csv, "second,bits_per_s\n0,1000000\n# tunnel\n1,0\n2,2000000\n").unwrap();
    let text = "about='t'\nsource='ours'\n[up]\nrate_floor='8kbit'\n[up.trace]\nfile='drive.csv'\n";
    let link = LinkSpec::parse(text, &folder.path().join("t.toml")).unwrap();
    let RateSpec::Trace { bits_per_s, .. } = link.up.rate else { panic!("no trace") };
    assert_eq!(bits_per_s, [1_000_000, 0, 2_000_000]);
    std::fs::write(&csv, "1000\nfast\n").unwrap();
    let error = LinkSpec::parse(text, &folder.path().join("t.toml")).unwrap_err().to_string();
    assert!(error.contains("drive.csv:2: `fast` is not a rate"), "{error}");
}
