//! The settings' rules: one table of what is refused and in which words, then where files and values come from.

use super::*;
use std::fs;

#[cfg(unix)]
const FILE: &str = "/etc/fingertip/fingertip.toml";
#[cfg(windows)]
const FILE: &str = "C:\\etc\\fingertip\\fingertip.toml";

fn env(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
    let home = if cfg!(windows) { ("LOCALAPPDATA", "C:\\home\\me") } else { ("HOME", "/home/me") };
    move |name| pairs.iter().chain([&home]).find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new(FILE), &env(&[]))
}

/// The error of `text` without the file's name, which every error begins with.
fn refusal(text: &str, pairs: &'static [(&'static str, &'static str)]) -> String {
    let sentence = match Config::parse(text, Path::new(FILE), &env(pairs)) {
        Ok(config) => panic!("accepted:\n{text}\n{config:#?}"),
        Err(error) => error.to_string(),
    };
    sentence
        .strip_prefix(FILE)
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or_else(|| panic!("{sentence}"))
        .to_owned()
}

#[test]
fn every_refusal_is_one_sentence_with_line_and_key() {
    let device = "[[plugin]]\nname = \"wda\"\n[[plugin.device]]\n";
    let with = |line: &str| format!("{device}{line}\n");
    let long = with(&format!("id = \"{}\"", "x".repeat(65)));
    let (spaced, umlaut, dots) = (with("id = \"desk iphone\""), with("id = \"Büro\""), with("id = \"..\""));
    let (anonymous, udid) = (with("name = \"Desk\""), with("id = \"a\"\nudid = 7"));
    let twice = "[[plugin]]\nname = \"wda\"\n[[plugin.device]]\nid = \"desk\"\n\n[[plugin]]\npath = \"x.so\"\n\
                 [[plugin.device]]\nname = \"Other\"\nid = \"desk\"\n";
    let table: &[(&str, &str)] = &[
        // Unknown keys and sections.
        (
            "# mine\n[server]\nlisten = \"127.0.0.1:1\"\nlisen = \"127.0.0.1:1\"",
            "4: `lisen` is not a key of [server], did you mean `listen`? \
             (allowed: `listen`, `token_env`, `data_dir`, `plugin_dirs`)",
        ),
        (
            "[server]\ntoken = \"t\"",
            "2: `token` is not a key of [server], did you mean `token_env`? \
             (allowed: `listen`, `token_env`, `data_dir`, `plugin_dirs`)",
        ),
        (
            "[server]\ncolour = 1",
            "2: `colour` is not a key of [server] (allowed: `listen`, `token_env`, `data_dir`, `plugin_dirs`)",
        ),
        (
            "[server]\nread_only = true",
            "2: `read_only` is not a key of [server], it belongs in [tools] \
             (allowed: `listen`, `token_env`, `data_dir`, `plugin_dirs`)",
        ),
        (
            "listen = \"127.0.0.1:1\"",
            "1: `listen` is not a section, as a key it belongs in [server] \
             (allowed: [server], [[plugin]], [agent], [limits], [perception], [tools])",
        ),
        (
            "\n[sever]\n",
            "2: `sever` is not a section, did you mean [server]? \
             (allowed: [server], [[plugin]], [agent], [limits], [perception], [tools])",
        ),
        (
            "[[plugins]]\nname = \"wda\"",
            "1: `plugins` is not a section, did you mean [[plugin]]? \
             (allowed: [server], [[plugin]], [agent], [limits], [perception], [tools])",
        ),
        (
            "[[plugin]]\nname = \"wda\"\naddress = \"x\"",
            "3: `address` is not a key of [[plugin]], it belongs in [[plugin.device]] \
             (allowed: `name`, `path`, `sha256`, `options`, `device`)",
        ),
        (
            "[[plugin]]\nname = \"wda\"\n[[plugin.devices]]\nid = \"a\"",
            "3: `devices` is not a key of [[plugin]], did you mean `device`? \
             (allowed: `name`, `path`, `sha256`, `options`, `device`)",
        ),
        (
            "[[plugin]]\nname = \"wda\"\n[[plugin.device]]\nid = \"a\"\nadress = \"x\"",
            "5: `adress` is not a key of [[plugin.device]], did you mean `address`? \
             (allowed: `id`, `name`, `address`, `udid`, `options`)",
        ),
        (
            "[tools]\nonly = []",
            "2: `only` is not a key of [tools] (allowed: `read_only`, `tools`, `deny_apps`, `url_schemes`, `answer_alerts`)",
        ),
        (
            "[tools]\n\"a\\nb\" = 1",
            "2: `a\\nb` is not a key of [tools] (allowed: `read_only`, `tools`, `deny_apps`, `url_schemes`, `answer_alerts`)",
        ),
        // What works on tasks.
        (
            "[agent]\nmodle = \"m\"",
            "2: `modle` is not a key of [agent], did you mean `model`? (allowed: `model`, `base_url`, `api_key_env`, `answers`, \
             `pictures`, `timeout_ms`, `max_tokens`, `resume_on_start`, `ask_before`, `needs_human`, `price`)",
        ),
        (
            "[agent]\npictures = true",
            "2: `pictures` in [agent] stands without `model`; name the model, such as model = \"openai::gpt-5-mini\"",
        ),
        (
            "[agent]\nmodel = \"m\"\nanswers = \"tool\"",
            "3: `answers` in [agent] is \"tool\", did you mean \"tools\"? (allowed: `auto`, `tools`, `schema`, `text`)",
        ),
        (
            "[agent]\nmodel = \"m\"\n[agent.price]\ninput = -1",
            "4: `input` in [agent.price] must be a number from 0 to 100000",
        ),
        (
            "[agent]\nask_before = [\"payments\"]",
            "2: an element of `ask_before` in [agent] is \"payments\", did you mean \"payment\"? (allowed: `one_time_code`, \
             `captcha`, `payment`, `deletion`)",
        ),
        ("[limits]\n\nsteps = 0", "3: `steps` in [limits] must be a whole number from 1 to 10000"),
        ("[limits]\nusd = \"1\"", "2: `usd` in [limits] must be a number from 0 to 10000, not a string"),
        (
            "[limits]\nminutes = 1",
            "2: `minutes` is not a key of [limits] (allowed: `steps`, `tokens`, `usd`, `seconds`)",
        ),
        // What pictures are read with.
        ("[perception]\nocr = true", "2: `ocr` is not a key of [perception] (allowed: `recogniser`, `vision`)"),
        (
            "[perception]\nmodel = \"a.onnx\"",
            "2: `model` is not a key of [perception], it belongs in [[perception.recogniser]] (allowed: `recogniser`, `vision`)",
        ),
        (
            "[perception.recogniser]\nmodel = \"a.onnx\"",
            "1: `recogniser` must be a list of tables, each begun by [[perception.recogniser]] in two brackets",
        ),
        (
            "[[perception.recogniser]]\nmodel = \"a.onnx\"\ndict = \"a.txt\"",
            "3: `dict` is not a key of [[perception.recogniser]], did you mean `dictionary`? (allowed: `model`, `dictionary`)",
        ),
        // TOML itself.
        ("[server]\nlisten = ", "2: this is not valid TOML: string values must be quoted, expected literal string"),
        ("[server]\n\nlisten = \"a\"\nlisten = \"b\"", "4: this is not valid TOML: duplicate key"),
        // Shapes.
        ("server = 3", "1: `server` must be a table, written [server] and only once"),
        ("[[server]]", "1: `server` must be a table, written [server] and only once"),
        (
            "[plugin]\nname = \"wda\"",
            "1: `plugin` must be a list of tables, each begun by [[plugin]] in two brackets, above the \
             [plugin.options] and [[plugin.device]] that belong to it",
        ),
        (
            "[[plugin.device]]\nid = \"a\"",
            "1: `plugin` must be a list of tables, each begun by [[plugin]] in two brackets, above the \
             [plugin.options] and [[plugin.device]] that belong to it",
        ),
        (
            "[[plugin]]\nname = \"wda\"\n[plugin.device]\nid = \"a\"",
            "3: `device` must be a list of tables, each begun by [[plugin.device]] in two brackets",
        ),
        ("[[plugin]]\nname = \"wda\"\noptions = 3", "3: `options` must be a table, written [plugin.options]"),
        // Types.
        (
            "[server]\nlisten = 7311",
            "2: `listen` in [server] must be a string such as \"127.0.0.1:7311\", not an integer",
        ),
        (
            "[server]\ndata_dir = \" \"",
            "2: `data_dir` in [server] is empty; write something such as \"data\", or leave it out",
        ),
        (
            "[server]\nplugin_dirs = \"plugins\"",
            "2: `plugin_dirs` in [server] must be a list such as [\"plugins\"], not a string",
        ),
        (
            "[server]\nplugin_dirs = [\n  \"a\",\n  3,\n]",
            "4: an element of `plugin_dirs` in [server] must be a string such as \"plugins\", not an integer",
        ),
        (
            "[tools]\ndeny_apps = [\"com.*.bank\"]",
            "2: an element of `deny_apps` in [tools] is \"com.*.bank\"; a `*` stands at the end, such as \"com.bank.*\"",
        ),
        (
            "[tools]\ndeny_apps = [\n\"*\"]",
            "3: an element of `deny_apps` in [tools] denies every app; to have the phone only looked at, set read_only = true",
        ),
        (
            "[tools.answer_alerts]\n\"a\" = \"OK\"",
            "2: `a` in [tools.answer_alerts] would answer nearly every alert; write more of the alert's text",
        ),
        ("[tools]\nanswer_alerts = [\"a\"]", "2: `answer_alerts` must be a table, written [tools.answer_alerts]"),
        (
            "[tools]\ndeny_apps = \"Wallet\"",
            "2: `deny_apps` in [tools] must be a list such as [\"com.bank.*\", \"Wallet\"], not a string",
        ),
        (
            "[tools]\nurl_schemes = [\"https:\"]",
            "2: an element of `url_schemes` in [tools] is \"https:\"; a scheme has letters, digits, `+`, `-` or `.` and no \
             colon, such as \"https\"",
        ),
        (
            "[tools]\nurl_schemes = [1]",
            "2: an element of `url_schemes` in [tools] must be a string such as \"https\", not an integer",
        ),
        ("[tools]\nread_only = \"yes\"", "2: `read_only` in [tools] must be true or false, not a string"),
        (
            "[tools]\ntools = []",
            "2: `tools` in [tools] names no tool, so that none would be offered; leave it out to offer all",
        ),
        (
            &udid,
            "5: `udid` in [[plugin.device]] must be a string such as \"00008110-000A1B2C3D4E5F60\", not an integer",
        ),
        // Values.
        (
            "[server]\nlisten = \"127.0.0.1\"",
            "2: `listen` in [server] is \"127.0.0.1\", which is not an address with a port; write one such as \
             \"127.0.0.1:7311\", \"[::1]:7311\" or \"localhost:7311\"",
        ),
        (
            "[server]\nlisten = \"myhost:7311\"",
            "2: `listen` in [server] is \"myhost:7311\", which is not an address with a port; write one such as \
             \"127.0.0.1:7311\", \"[::1]:7311\" or \"localhost:7311\"",
        ),
        (
            "[server]\nlisten = \"localhost:70000\"",
            "2: `listen` in [server] is \"localhost:70000\", which is not an address with a port; write one such as \
             \"127.0.0.1:7311\", \"[::1]:7311\" or \"localhost:7311\"",
        ),
        (
            "[[plugin]]\nname = \"wda\"\nsha256 = \"abc\"",
            "3: `sha256` in [[plugin]] has 3 characters and is not a SHA-256 digest, which has 64 hexadecimal digits; \
             `sha256sum FILE` prints it",
        ),
        (
            "[[plugin]]\nname = \"../evil\"",
            "2: `name` in [[plugin]] is \"../evil\"; a plugin's name has 1 to 64 letters, digits, `_` or `-`, and its file \
             is given by `path`",
        ),
        (
            "[server]\n[[plugin]]\nsha256 = \"00\"",
            "2: [[plugin]] has neither `name` nor `path`; give name = \"wda\" to have it found in plugin_dirs, or path = \
             \"…\" for its file",
        ),
        (
            "[[plugin]]\nname = \"wda\"\npath = \"wda.so\"",
            "3: `path` in [[plugin]] stands beside `name`; a plugin is given by one of the two",
        ),
        (&anonymous, "3: [[plugin.device]] has no `id`; give it one, such as id = \"desk-iphone\""),
        (
            &spaced,
            "4: `id` in [[plugin.device]] is \"desk iphone\"; a device's id has 1 to 64 letters, digits, `.`, `_` or `-`, \
             such as \"desk-iphone\"",
        ),
        (
            &umlaut,
            "4: `id` in [[plugin.device]] is \"Büro\"; a device's id has 1 to 64 letters, digits, `.`, `_` or `-`, such as \
             \"desk-iphone\"",
        ),
        (
            &dots,
            "4: `id` in [[plugin.device]] is \"..\"; a device's id has 1 to 64 letters, digits, `.`, `_` or `-`, such as \
             \"desk-iphone\"",
        ),
        (
            twice,
            "10: `id` in [[plugin.device]] is \"desk\", which line 4 already uses; every device has an id of its own, \
             whichever plugin it is of",
        ),
        (
            "[[plugin]]\nname = \"wda\"\n[plugin.options]\ninner = { speed = inf }",
            "4: `speed` in a table of options must be a finite number",
        ),
        (
            "[[plugin]]\nname = \"wda\"\n[plugin.options]\nport = 99999999999999999999",
            "4: `port` in [plugin.options] is outside the range of 64-bit integers",
        ),
    ];
    for (text, sentence) in table {
        assert_eq!(refusal(text, &[]), *sentence, "\n{text}\n");
    }
    assert!(refusal(&long, &[]).starts_with("4: `id` in [[plugin.device]] is \"xxx"));
}

#[test]
fn listening_to_others_needs_a_token() {
    for address in ["0.0.0.0:7311", "192.0.2.1:7311", "[::]:7311", "[::ffff:192.0.2.1]:1"] {
        let text = format!("[server]\nlisten = \"{address}\"");
        assert_eq!(
            refusal(&text, &[("FINGERTIP_TOKEN", "t")]),
            format!(
                "2: `listen` in [server] is {address}, which other machines can reach, so a token is needed: add token_env \
                 = \"FINGERTIP_TOKEN\" and set that environment variable"
            )
        );
    }
    let named = "[server]\nlisten = \"0.0.0.0:7311\"\ntoken_env = \"PHONES\"";
    assert_eq!(
        refusal(named, &[]),
        "3: `token_env` in [server] names the environment variable PHONES, which is not set; listen is 0.0.0.0:7311, which \
         other machines can reach, so set PHONES to the token that callers must send"
    );
    assert_eq!(
        refusal(named, &[("PHONES", "")]),
        "3: `token_env` in [server] names the environment variable PHONES, which is empty; set it to the token that callers \
         must send"
    );
    assert_eq!(
        refusal(named, &[("PHONES", "two words")]),
        "3: `token_env` in [server] names the environment variable PHONES, whose value has spaces, line ends or characters \
         beyond ASCII; a token is made of visible ASCII characters"
    );
    assert_eq!(
        refusal("[server]\ntoken_env = \"A=B\"", &[]),
        "2: `token_env` in [server] is the name of an environment variable, such as \"FINGERTIP_TOKEN\""
    );
    let config = Config::parse(named, Path::new(FILE), &env(&[("PHONES", "s3cret")])).unwrap();
    assert!(config.token.as_ref().unwrap().matches("s3cret"));
    assert!(!format!("{config:?}").contains("s3cret"));
    assert!(config.warnings.is_empty());
}

#[test]
fn on_loopback_a_token_is_asked_for_once_it_is_there() {
    let text = "[server]\ntoken_env = \"PHONES\"";
    assert!(Config::parse(text, Path::new(FILE), &env(&[("PHONES", "t")])).unwrap().token.is_some());
    let open = parse(text).unwrap();
    assert!(open.token.is_none());
    assert_eq!(
        open.warnings,
        [format!(
            "{FILE}:2: the environment variable PHONES is not set, so every program on this machine can call without a token"
        )]
    );
    // Set and empty is a mistake wherever it listens.
    assert!(refusal(text, &[("PHONES", "")]).contains("which is empty"));
}

#[test]
fn loopback_in_its_spellings() {
    for (written, read) in [
        ("localhost:7311", "127.0.0.1:7311"),
        ("127.0.0.1:0", "127.0.0.1:0"),
        ("127.9.9.9:80", "127.9.9.9:80"),
        ("[::1]:7311", "[::1]:7311"),
        ("[::ffff:127.0.0.1]:7311", "[::ffff:127.0.0.1]:7311"),
    ] {
        let config = parse(&format!("[server]\nlisten = \"{written}\"")).unwrap();
        assert_eq!(config.listen, read.parse().unwrap());
        assert!(config.token.is_none());
    }
    assert_eq!(parse("").unwrap().listen, "127.0.0.1:7311".parse().unwrap());
}

#[test]
fn reads_what_the_contract_shows() {
    let text = r#"
        [server]
        listen = "127.0.0.1:7400"
        data_dir = "data"
        plugin_dirs = ["plugins", "../more"]

        [[plugin]]
        name = "wda"
        sha256 = "00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff"
        [plugin.options]
        port = 0x1F90
        ratio = 1_000.5
        since = 2026-01-02
        deep = { list = [1, "two", true] }
        [[plugin.device]]
        id = "desk-iphone"
        name = "Desk iPhone"
        address = "http://192.0.2.20:8100"
        udid = "00008110-000A"
        [plugin.device.options]
        stream_address = "http://192.0.2.20:9100"
        [[plugin.device]]
        id = "b"

        [[plugin]]
        path = "mine/libmine.so"

        [agent]
        [limits]
        [perception]
        [tools]
        read_only = true
        tools = ["tap", "take_screenshot"]
        deny_apps = ["com.bank.*", "Wallet"]
        url_schemes = ["HTTPS", "my-app"]
        [tools.answer_alerts]
        "Send You Notifications" = "Don’t Allow"
    "#;
    let config = parse(text).unwrap();
    let folder = Path::new(FILE).parent().unwrap();
    assert_eq!(config.source.as_deref(), Some(Path::new(FILE)));
    assert_eq!(config.listen.port(), 7400);
    assert_eq!(config.data_dir, folder.join("data"));
    assert_eq!(config.plugin_dirs, [folder.join("plugins"), folder.join("../more")]);
    let [wda, mine] = &config.plugins[..] else { panic!("{:?}", config.plugins) };
    assert_eq!((wda.name.as_deref(), wda.path.as_deref(), wda.line), (Some("wda"), None, Some(7)));
    assert_eq!(wda.sha256.unwrap()[..4], [0x00, 0x11, 0x22, 0x33]);
    assert_eq!(wda.sha256.unwrap()[31], 0xff);
    assert_eq!(
        serde_json::Value::Object(wda.config.options.clone()),
        serde_json::json!({"port": 8080, "ratio": 1000.5, "since": "2026-01-02", "deep": {"list": [1, "two", true]}})
    );
    let [desk, b] = &wda.config.devices[..] else { panic!("{:?}", wda.config.devices) };
    assert_eq!((desk.id.as_str(), desk.name.as_deref()), ("desk-iphone", Some("Desk iPhone")));
    assert_eq!(desk.address.as_deref(), Some("http://192.0.2.20:8100"));
    assert_eq!(desk.udid.as_deref(), Some("00008110-000A"));
    assert_eq!(desk.options["stream_address"], "http://192.0.2.20:9100");
    assert_eq!(*b, DeviceConfig { id: "b".into(), ..DeviceConfig::default() });
    assert_eq!(mine.path.as_deref(), Some(folder.join("mine/libmine.so").as_path()));
    assert_eq!(mine.name, None);
    assert!(config.tools.read_only);
    assert_eq!(config.tools.tools.as_deref(), Some(&["tap".to_owned(), "take_screenshot".to_owned()][..]));
    assert_eq!(config.tools.deny_apps, ["com.bank.*", "Wallet"]);
    let (part, button) = ("Send You Notifications".to_owned(), "Don’t Allow".to_owned());
    assert_eq!(config.tools.answer_alerts, [(part, button)]);
    assert_eq!(config.tools.url_schemes, ["https", "my-app"]);
}

#[cfg(feature = "ocr")]
#[test]
fn recognisers_are_files_that_are_there() {
    let table = "\n[[perception.recogniser]]\n";
    for (lines, sentence) in [
        (
            "dictionary = \"a.txt\"",
            "2: [[perception.recogniser]] has no `model`; give its file, such as model = \"arabic.onnx\"",
        ),
        (
            "model = \"a.onnx\"",
            "2: [[perception.recogniser]] has no `dictionary`; give its file, such as dictionary = \"arabic.txt\"",
        ),
        (
            "model = \"a.pt\"\ndictionary = \"a.txt\"",
            "3: `model` in [[perception.recogniser]] is \"a.pt\"; a model is a file that ends in .onnx or .rten",
        ),
        (
            "model = \"a.onnx\"\ndictionary = 7",
            "4: `dictionary` in [[perception.recogniser]] must be a string such as \"arabic.txt\", not an integer",
        ),
    ] {
        assert_eq!(refusal(&format!("{table}{lines}"), &[]), sentence);
    }

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = folder.join("fingertip.toml");
    let text = format!("[server]\ndata_dir = \"data\"{table}model = \"a.onnx\"\ndictionary = \"a.txt\"");
    fs::write(&file, &text).unwrap();
    let error = || Config::load(Some(&file)).unwrap_err().to_string();
    let (model, dictionary) = (folder.join("a.onnx"), folder.join("a.txt"));
    let (place, key) = (file.display(), "in [[perception.recogniser]] names");
    let missing = |path: &Path| format!("{}, which is not there; correct the path", path.display());
    assert_eq!(error(), format!("{place}:4: `model` {key} {}", missing(&model)));
    fs::create_dir(&model).unwrap();
    let wrong = format!("{place}:4: `model` {key} {}, which is not a file; name the file itself", model.display());
    assert_eq!(error(), wrong);
    fs::remove_dir(&model).unwrap();
    fs::File::create(&model).unwrap().set_len(257 << 20).unwrap();
    assert_eq!(
        error(),
        format!("{place}:4: `model` {key} {}, which has more than 256 MiB; name another file", model.display())
    );
    fs::write(&model, "a model").unwrap();
    assert_eq!(error(), format!("{place}:5: `dictionary` {key} {}", missing(&dictionary)));
    fs::write(&dictionary, "").unwrap();
    let empty = format!("{}, which is empty; put the file there once more", dictionary.display());
    assert_eq!(error(), format!("{place}:5: `dictionary` {key} {empty}"));
    fs::write(&dictionary, "ا\nب\n").unwrap();
    let config = Config::load(Some(&file)).unwrap();
    let [recogniser] = &config.perception.recognisers[..] else { panic!("{config:?}") };
    assert_eq!((&recogniser.model, &recogniser.dictionary), (&model, &dictionary));
    // What is in them is looked at when the first picture is read.
    assert_eq!(recogniser.files().unwrap(), (b"a model".to_vec(), "ا\nب\n".to_owned()));
    fs::write(&dictionary, b"\xff").unwrap();
    assert_eq!(recogniser.files().unwrap_err(), format!("{} is not UTF-8; save it as that", dictionary.display()));
}

#[cfg(not(feature = "ocr"))]
#[test]
fn recognisers_are_refused_where_nothing_is_read() {
    assert_eq!(
        refusal("[[perception.recogniser]]\nmodel = \"a.onnx\"\ndictionary = \"a.txt\"", &[]),
        "1: [[perception.recogniser]] needs text recognition, which this build is without; build with the feature `ocr`, or \
         leave it out"
    );
}

#[test]
fn a_file_that_names_nothing_gives_nothing() {
    let config = parse("").unwrap();
    assert!(config.plugins.is_empty());
    assert!(parse("plugin = []").unwrap().plugins.is_empty());
    assert!(!config.tools.read_only && config.tools.tools.is_none());
    assert!(config.tools.deny_apps.is_empty() && config.tools.answer_alerts.is_empty());
    let schemes = ["http", "https", "mailto", "tel", "sms", "facetime", "maps"];
    assert_eq!(config.tools.url_schemes, schemes);
    assert_eq!(parse("[tools]").unwrap().tools.url_schemes, schemes);
    assert!(parse("[tools]\nurl_schemes = []").unwrap().tools.url_schemes.is_empty());
}

#[test]
fn without_a_file_there_is_one_virtual_phone() {
    let config = Config::default_in(&env(&[])).unwrap();
    assert_eq!(config.source, None);
    assert_eq!(config.listen, "127.0.0.1:7311".parse().unwrap());
    assert!(config.token.is_none());
    let [plugin] = &config.plugins[..] else { panic!("{:?}", config.plugins) };
    assert_eq!((plugin.name.as_deref(), plugin.path.as_deref()), (Some("virtual"), None));
    assert_eq!(plugin.config.devices.len(), 1);
    assert_eq!(plugin.config.devices[0].id, "virtual-1");
    assert!(config.plugin_dirs.is_empty(), "the loader looks beside the binary by itself");
    Config::without_file().unwrap();
}

#[test]
fn a_mark_at_the_start_and_windows_line_ends_shift_no_line() {
    assert_eq!(parse("\u{feff}[server]\r\nlisten = \"127.0.0.1:9\"\r\n").unwrap().listen.port(), 9);
    assert!(refusal("\u{feff}[server]\r\n\r\nlisen = 1\r\n", &[]).starts_with("3: `lisen`"));
}

#[test]
fn tools_are_offered_by_name_and_effect() {
    let all = ToolsConfig::default();
    assert!(all.offers("tap", true) && all.offers("get_ui_tree", false));
    let some = parse("[tools]\nread_only = true\ntools = [\"tap\",\n \"take_screenshot\"]").unwrap().tools;
    assert!(some.offers("take_screenshot", false));
    assert!(!some.offers("tap", true) && !some.offers("get_ui_tree", false));
    some.check(&["tap", "take_screenshot"]).unwrap();
    let error = some.check(&["tap", "take_screenshots"]).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{FILE}:4: \"take_screenshot\" in `tools` of [tools] is no tool, did you mean \"take_screenshots\"? (allowed: tap, \
             take_screenshots)"
        )
    );
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn the_data_folder_follows_the_variable_then_the_file_then_the_user() {
    let at = |text: &str, pairs| Config::parse(text, Path::new(FILE), &env(pairs)).unwrap().data_dir;
    let text = "[server]\ndata_dir = \"data\"";
    assert_eq!(at(text, &[("FINGERTIP_DATA_DIR", "/srv/phones")]), Path::new("/srv/phones"));
    assert_eq!(at(text, &[("FINGERTIP_DATA_DIR", "")]), Path::new("/etc/fingertip/data"));
    assert_eq!(at("[server]\ndata_dir = \"/d\"", &[]), Path::new("/d"));
    assert_eq!(at("[server]\ndata_dir = \"~/d\"", &[]), Path::new("/home/me/d"));
    assert_eq!(at("", &[("XDG_DATA_HOME", "/xdg")]), Path::new("/xdg/fingertip"));
    assert_eq!(at("", &[("XDG_DATA_HOME", "relative")]), Path::new("/home/me/.local/share/fingertip"));
    assert_eq!(at("", &[]), Path::new("/home/me/.local/share/fingertip"));
    let relative = Config::parse("", Path::new(FILE), &env(&[("FINGERTIP_DATA_DIR", "here")])).unwrap().data_dir;
    assert_eq!(relative, std::env::current_dir().unwrap().join("here"));
    let error = Config::parse("", Path::new(FILE), &|_| None).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{FILE}: the user's data folder is not known since HOME is not set; set data_dir in [server] or FINGERTIP_DATA_DIR"
        )
    );
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn the_first_file_of_the_order_counts() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let here = root.join("here");
    let home = root.join("home");
    let write = |path: &Path, port: u16| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("[server]\nlisten = \"127.0.0.1:{port}\"\ndata_dir = \"data\"")).unwrap();
    };
    fs::create_dir_all(&here).unwrap();
    let port = |explicit: Option<&str>, pairs: &[(&str, &Path)]| {
        let env = |name: &str| {
            let home = ("HOME", home.as_path());
            pairs.iter().chain([&home]).find(|(key, _)| *key == name).map(|(_, path)| path.display().to_string())
        };
        Config::load_in(explicit.map(Path::new), &here, &env)
    };

    assert_eq!(port(None, &[]).unwrap().source, None);
    write(&home.join(".config/fingertip/fingertip.toml"), 1);
    assert_eq!(port(None, &[]).unwrap().listen.port(), 1);
    let xdg = root.join("xdg");
    write(&xdg.join("fingertip/fingertip.toml"), 2);
    assert_eq!(port(None, &[("XDG_CONFIG_HOME", &xdg)]).unwrap().listen.port(), 2);
    write(&here.join("fingertip.toml"), 3);
    assert_eq!(port(None, &[("XDG_CONFIG_HOME", &xdg)]).unwrap().listen.port(), 3);
    let variable = root.join("elsewhere/phones.toml");
    write(&variable, 4);
    assert_eq!(port(None, &[("FINGERTIP_CONFIG", &variable)]).unwrap().listen.port(), 4);
    assert_eq!(port(None, &[("FINGERTIP_CONFIG", Path::new(""))]).unwrap().listen.port(), 3);
    write(&here.join("sub/own.toml"), 5);
    let explicit = port(Some("sub/own.toml"), &[("FINGERTIP_CONFIG", &variable)]).unwrap();
    assert_eq!(explicit.listen.port(), 5);
    // Relative paths count from the file, wherever the program was started.
    assert_eq!(explicit.data_dir, here.join("sub/data"));

    // What was named must be there, and what is there must be readable.
    let missing = port(Some("none.toml"), &[]).unwrap_err().to_string();
    assert_eq!(missing, format!("{}: there is no such configuration file", here.join("none.toml").display()));
    let missing = port(None, &[("FINGERTIP_CONFIG", Path::new("none.toml"))]).unwrap_err().to_string();
    assert_eq!(missing, format!("{}: there is no such configuration file", here.join("none.toml").display()));
    fs::remove_file(here.join("fingertip.toml")).unwrap();
    fs::create_dir(here.join("fingertip.toml")).unwrap();
    let folder_error = port(None, &[]).unwrap_err().to_string();
    assert!(folder_error.contains("fingertip.toml: the configuration file cannot be read ("), "{folder_error}");
    fs::remove_dir(here.join("fingertip.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere.toml", here.join("fingertip.toml")).unwrap();
    assert!(port(None, &[]).unwrap_err().to_string().contains("there is no such configuration file"));
}

#[test]
fn a_file_in_another_encoding_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fingertip.toml");
    let place = file.display();
    fs::write(&file, b"[server]\n# caf\xe9\n").unwrap();
    assert_eq!(
        Config::load(Some(&file)).unwrap_err().to_string(),
        format!("{place}:2: the file holds bytes that are not UTF-8; save it as UTF-8")
    );
    fs::write(&file, b"\xff\xfe[\0s\0").unwrap();
    assert_eq!(
        Config::load(Some(&file)).unwrap_err().to_string(),
        format!("{place}: the file is written in UTF-16; save it as UTF-8")
    );
}

/// The example must stay true: it is what operators copy.
#[test]
fn the_example_is_accepted() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fingertip.toml");
    let text = fs::read_to_string(&file).unwrap();
    let config = Config::parse(&text, &file, &env(&[])).unwrap();
    assert_eq!(config.plugins.len(), 1);
    // Every key also with the comment marks of its keys taken away.
    let key = |line: &str| {
        let rest = line.strip_prefix("# ").unwrap_or_default();
        rest.starts_with('[') || rest.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '))
    };
    let lines: Vec<&str> = text.lines().map(|line| if key(line) { &line[2..] } else { line }).collect();
    let all = Config::parse(
        &lines.join("\n"),
        &file,
        &env(&[("FINGERTIP_TOKEN", "t"), ("VISION_KEY", "k"), ("OPENAI_API_KEY", "k")]),
    );
    let all = all.unwrap();
    assert!(all.token.is_some() && all.tools.tools.is_some() && all.plugins.len() > 1);
    assert!(all.perception.vision.is_some_and(|vision| vision.api_key.is_some_and(|key| key.is_ok())));
    assert!(all.agent.model.is_some_and(|model| model.api_key.is_some_and(|key| key.is_ok()) && model.price.is_some()));
    assert_eq!(all.agent.limits, agent::TaskLimits::default(), "the limits that it shows are the defaults");
    let perception = perception::RECOGNISER.iter().chain(&vision::KEYS);
    let agent = agent::KEYS.iter().chain(&agent::PRICE).chain(&agent::LIMITS);
    for key in SERVER.iter().chain(&PLUGIN).chain(&DEVICE).chain(&TOOLS).chain(perception).chain(agent) {
        let written =
            lines.iter().any(|line| line.starts_with(&format!("{key} = ")) || line.contains(&format!(".{key}]")));
        assert!(written, "`{key}` is missing in the example");
    }
}

#[test]
fn a_vision_model_is_named_whole() {
    let parse = |text: &str| Config::parse(text, Path::new("/x/fingertip.toml"), &env(&[("KEY", "k"), ("EMPTY", "")]));
    let section = "[perception.vision]\n";
    let whole = "base_url = \"http://127.0.0.1:1/v1\"\nmodel = \"eye\"\n";
    let vision = parse(&format!("{section}{whole}api_key_env = \"KEY\"")).unwrap().perception.vision.unwrap();
    assert_eq!((vision.model.as_str(), vision.timeout.as_secs()), ("eye", 10));
    assert!(!format!("{vision:?}").contains("\"k\""), "a key never prints itself");
    for (text, part) in [
        ("model = \"eye\"", "has no `base_url`"),
        ("base_url = \"http://127.0.0.1:1/v1\"", "has no `model`"),
        ("base_url = \"127.0.0.1:1\"\nmodel = \"eye\"", "is no address of an API"),
        ("base_url = \"file:///etc\"\nmodel = \"eye\"", "is no address of an API"),
        (&format!("{whole}timeout_ms = 0"), "from 1 to 120000"),
        (&format!("{whole}timeout_ms = \"long\""), "a whole number"),
        (&format!("{whole}api_key_env = \"EMPTY\""), "holds no key"),
        (&format!("{whole}api_key_env = \"NONE\""), "holds no key"),
        (&format!("{whole}key = \"sk\""), "is not a key of [perception.vision]"),
    ] {
        let refused = parse(&format!("{section}{text}")).and_then(|config| config.check_keys());
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// A command in another shell than the server's reads the same file.
#[test]
fn a_key_is_missed_only_where_it_is_needed() {
    let text = "[agent]\nmodel = \"m\"\napi_key_env = \"KEY\"";
    let config =
        |vars: &'static [(&'static str, &'static str)]| Config::parse(text, Path::new(FILE), &env(vars)).unwrap();
    assert_eq!(config(&[("KEY", "k")]).check_keys(), Ok(()));
    let missed = config(&[]).check_keys().unwrap_err();
    assert!(missed.line == Some(3) && missed.message.contains("KEY, which holds no key"), "{missed}");
}
