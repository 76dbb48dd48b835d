//! Recognisers that are added as files: what they read, and which files are refused in which words.
//!
//! `tests/added/ink.onnx` is no reading network: it calls every column with dark ink "ا" and is there to show who is asked for
//! which line, and what becomes of the answer. Its making is told in `tests/added/README.md`.

mod drawn;

use drawn::draw;
use fingertip_ocr::{Extra, OcrError, Reader};

const INK: &[u8] = include_bytes!("added/ink.onnx");
const ARABIC: &[u8] = include_bytes!("fonts/NotoSansArabic-lines.ttf");
const CHINESE: &[u8] = include_bytes!("fonts/NotoSansSC-lines.otf");

fn extra(model: &[u8], dictionary: &str) -> Extra {
    Extra { name: "ink.onnx".into(), model: model.to_vec(), dictionary: dictionary.into() }
}

fn own(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../assets/ocr/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Why the recogniser is refused. The reader must work on without it.
fn refusal(model: &[u8], dictionary: &str) -> String {
    let mut reader = Reader::new();
    let error = reader.add(extra(model, dictionary)).unwrap_err();
    assert!(matches!(&error, OcrError::Recogniser { name, .. } if name == "ink.onnx"), "{error:?}");
    error.to_string().strip_prefix("the text recogniser ink.onnx cannot be used: ").expect("it is named").to_owned()
}

#[test]
fn an_added_recogniser_is_asked_for_what_is_not_read_for_sure() {
    let (arabic, chinese) = (draw(ARABIC, &["الخصوصية والأمان"], 48.0), draw(CHINESE, &["更改已成功保存"], 48.0));
    let mut reader = Reader::new();
    let before = reader.read(&arabic.view(), None).unwrap().lines;
    assert!(before.iter().all(|line| !line.readable && !line.text.contains('ا')), "{before:?}");
    reader.add(extra(INK, "ا\n")).unwrap();
    let after = reader.read(&arabic.view(), None).unwrap().lines;
    assert_eq!(after.len(), before.len());
    assert!(after.iter().all(|line| line.text.contains('ا')), "{after:?}");
    // A line that is read for sure is nobody else's.
    let lines = reader.read(&chinese.view(), None).unwrap().lines;
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["更改已成功保存"]);
}

#[test]
fn a_recogniser_must_fit_its_dictionary() {
    assert_eq!(
        refusal(INK, "ا\nب\n"),
        "the network tells 3 classes apart, and its dictionary of 2 characters makes 4 with the blank and the space"
    );
    assert_eq!(refusal(INK, ""), "its dictionary is empty");
    assert_eq!(refusal(INK, "\n\n"), "its dictionary is empty");
    // The one that comes with the crate is of the same form.
    let dictionary = String::from_utf8(own("ppocrv6_dict.txt")).unwrap();
    Reader::new().add(extra(&own("PP-OCRv6_rec_small.rten"), &dictionary)).unwrap();
}

#[test]
fn files_that_are_no_recognisers_are_refused() {
    let whole = own("PP-OCRv6_rec_small.rten");
    let none = "the file is no network in .onnx or .rten form, or not all of one";
    // The loader would go round and round in the one of 0xff.
    for bytes in [b"".as_slice(), b"RTEN", b"{\"json\": true}", &[0; 64], &[0xff; 4096], &whole[8..100_000]] {
        assert_eq!(refusal(bytes, "ا\n"), none);
    }
    // A download that broke off, wherever it did.
    for part in [10, 1_000, whole.len() / 2, whole.len() - 1] {
        refusal(&whole[..part], "ا\n");
    }
    assert_eq!(refusal(&INK[..INK.len() - 1], "ا\n"), none);
    // A network, but one that finds lines and reads none.
    refusal(&own("PP-OCRv6_det_small.rten"), "ا\n");
}
