//! Lines in several scripts: what the bundled recogniser knows is read, the rest is reported as text that is not read.

mod drawn;

use drawn::draw;
use fingertip_ocr::{Line, Reader};

fn read(font: &'static [u8], lines: &[&str]) -> Vec<Line> {
    Reader::new().read(&draw(font, lines, 48.0).view(), None).unwrap().lines
}

#[test]
fn chinese_and_japanese_are_read_light_and_dark_in_three_sizes() {
    let chinese = ["设置", "无线局域网", "隐私与安全性", "更改已成功保存"];
    let japanese = ["設定", "キャンセル", "変更が保存されました", "写真とカメラ"];
    let sets: [(&'static [u8], [&str; 4]); 2] = [
        (include_bytes!("fonts/NotoSansSC-lines.otf"), chinese),
        (include_bytes!("fonts/NotoSansJP-lines.otf"), japanese),
    ];
    let reader = Reader::new();
    let (mut total, mut missed) = (0, Vec::new());
    for (font, texts) in sets {
        // 17 points in screens of three, two and one pixel a point.
        for (size, dark) in [51.0, 34.0, 17.0].into_iter().flat_map(|size| [(size, false), (size, true)]) {
            let drawn = draw(font, &texts, size);
            let drawn = if dark { drawn.dark() } else { drawn };
            let lines = reader.read(&drawn.view(), None).unwrap().lines;
            total += texts.len();
            let unread =
                texts.into_iter().filter(|text| !lines.iter().any(|line| line.readable && line.text == **text));
            missed.extend(unread.map(|text| (text, size, dark)));
        }
    }
    println!("lines read: {} of {total}; missed {missed:?}", total - missed.len());
    assert!(missed.len() * 100 <= total * 3, "{missed:?}");
    let lines = read(include_bytes!("fonts/NotoSansJP-lines.otf"), &japanese);
    let part = lines[3].part("写真と".len()..lines[3].text.len());
    assert!(part.x > lines[3].bounds.x + lines[3].bounds.width * 0.4, "{part:?} in {:?}", lines[3].bounds);
}

#[test]
fn other_scripts_are_reported_as_not_read() {
    let lines: [(&str, &'static [u8], [&str; 3]); 4] = [
        (
            "Arabic",
            include_bytes!("fonts/NotoSansArabic-lines.ttf"),
            ["الخصوصية والأمان", "تم حفظ التغييرات بنجاح", "الصور والكاميرا"],
        ),
        (
            "Hebrew",
            include_bytes!("fonts/NotoSansHebrew-lines.ttf"),
            ["רשת אלחוטית", "השינויים נשמרו בהצלחה", "תמונות ומצלמה"],
        ),
        (
            "Korean",
            include_bytes!("fonts/NotoSansKR-lines.otf"),
            ["와이파이 네트워크", "개인정보 보호 및 보안", "변경 사항이 저장되었습니다"],
        ),
        ("Thai", include_bytes!("fonts/NotoSansThai-lines.ttf"), ["การตั้งค่า", "เครือข่ายไวไฟ", "บันทึกการเปลี่ยนแปลงแล้ว"]),
    ];
    let mut missed = Vec::new();
    for (script, font, texts) in lines {
        let read = read(font, &texts);
        println!("{script}: {:?}", read.iter().map(|line| (line.readable, &line.text, line.score)).collect::<Vec<_>>());
        assert_eq!(read.len(), texts.len(), "{script}: {read:?}");
        missed.extend(read.into_iter().filter(|line| line.readable).map(|line| (script, line)));
    }
    // A guess that happens to be likely cannot be told from a reading.
    assert!(missed.len() <= 2, "called readable: {missed:?}");
}
