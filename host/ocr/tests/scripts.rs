//! Lines in several scripts: what the bundled recogniser knows is read, the rest is reported as text that is not read.

use cosmic_text::{Attrs, Buffer, Color, Family, FontSystem, Metrics, Shaping, SwashCache, fontdb};
use fingertip_ocr::{Line, Picture, Reader};
use std::sync::Arc;

const WIDTH: u32 = 1_000;
const LINE: u32 = 130;

/// Draws lines in a font, dark on light, and reads them.
fn read(font: &'static [u8], lines: &[&str], size: f32) -> Vec<Line> {
    let mut db = fontdb::Database::new();
    let ids = db.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    let family = db.face(ids[0]).unwrap().families[0].0.clone();
    let mut system = FontSystem::new_with_locale_and_db("en".into(), db);
    let mut cache = SwashCache::new();
    let height = LINE * (lines.len() as u32 + 1);
    let mut data = vec![250u8; (WIDTH * height * 3) as usize];
    for (row, line) in lines.iter().enumerate() {
        let mut buffer = Buffer::new(&mut system, Metrics::new(size, size * 1.4));
        buffer.set_size(Some(WIDTH as f32 - 100.0), None);
        buffer.set_text(line, &Attrs::new().family(Family::Name(&family)), Shaping::Advanced, None);
        buffer.shape_until_scroll(&mut system, false);
        let top = (LINE * (row as u32 + 1)) as i32 - 40;
        buffer.draw(&mut system, &mut cache, Color::rgb(20, 20, 25), |x, y, width, rows, color| {
            for (x, y) in (y..y + rows as i32).flat_map(|y| (x..x + width as i32).map(move |x| (x + 50, y + top))) {
                if (0..WIDTH as i32).contains(&x) && (0..height as i32).contains(&y) {
                    for (channel, value) in [color.r(), color.g(), color.b()].into_iter().enumerate() {
                        let at = (y as usize * WIDTH as usize + x as usize) * 3 + channel;
                        let alpha = u32::from(color.a());
                        data[at] = ((u32::from(data[at]) * (255 - alpha) + u32::from(value) * alpha) / 255) as u8;
                    }
                }
            }
        });
    }
    let picture = Picture { width: WIDTH, height, channels: 3, data: &data };
    Reader::new(&[]).unwrap().read(&picture, None).unwrap().lines
}

#[test]
fn chinese_and_japanese_are_read() {
    let chinese = ["设置", "无线局域网", "隐私与安全性", "更改已成功保存"];
    let lines = read(include_bytes!("fonts/NotoSansSC-lines.otf"), &chinese, 48.0);
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), chinese);
    let japanese = ["設定", "キャンセル", "変更が保存されました", "写真とカメラ"];
    let lines = read(include_bytes!("fonts/NotoSansJP-lines.otf"), &japanese, 48.0);
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), japanese);
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
        let read = read(font, &texts, 48.0);
        println!("{script}: {:?}", read.iter().map(|line| (line.readable, &line.text, line.score)).collect::<Vec<_>>());
        assert_eq!(read.len(), texts.len(), "{script}: {read:?}");
        missed.extend(read.into_iter().filter(|line| line.readable).map(|line| (script, line)));
    }
    // A guess that happens to be likely cannot be told from a reading.
    assert!(missed.len() <= 2, "called readable: {missed:?}");
}
