//! Draws lines in many scripts with the fonts of this machine, reads them, and prints for each script how many lines were
//! read, told as not readable, and missed: `cargo run -p fingertip-ocr --example scripts [-- MODEL DICTIONARY]`.
//!
//! With a model and its dictionary, that recogniser is added. `--lines` prints what was read of each line. Debian's fonts-noto-core and fonts-noto-cjk have all the scripts.

use cosmic_text::{Attrs, Buffer, Color, Family, FontSystem, Metrics, Shaping, SwashCache, Weight};
use fingertip_ocr::{Extra, Line, Picture, Reader};

const WIDTH: u32 = 1_170;
const ROW: u32 = 100;

/// How a line looks: its size, its weight, and the shades of letters and ground.
const LOOKS: [(f32, u16, u8, u8); 4] =
    [(51.0, 400, 20, 250), (45.0, 600, 245, 30), (36.0, 400, 135, 255), (24.0, 400, 110, 245)];

struct Script {
    name: &'static str,
    family: &'static str,
    lines: &'static [&'static str],
}

const READ: &[Script] = &[
    Script {
        name: "English",
        family: "Noto Sans",
        lines: &[
            "Settings",
            "Wi-Fi",
            "Privacy & Security",
            "Your changes were saved",
            "OK",
            "Cancel",
            "Sign in with Apple",
            "Notifications are off",
            "3 new messages",
            "Updated 2 minutes ago",
            "SETTINGS",
            "ACCOUNT AND BILLING",
            "DONE",
            "iPhone",
            "eBay",
            "McDonald's",
            "Go",
            "A",
            "Delete all photos?",
            "Terms of Use · Privacy Policy",
        ],
    },
    Script {
        name: "European",
        family: "Noto Sans",
        lines: &[
            "Einstellungen",
            "Öffnungszeiten",
            "Größe ändern",
            "Réglages généraux",
            "Où êtes-vous ?",
            "Configuración",
            "¿Olvidaste tu contraseña?",
            "Ustawienia",
            "Zażółć gęślą jaźń",
            "Příliš žluťoučký kůň",
            "Ayarlar",
            "Şifreyi değiştir",
            "Cài đặt",
            "Quyền riêng tư",
            "Beállítások",
            "Setări",
            "Inställningar",
            "Ændringer gemt",
            "Asetukset",
            "Iestatījumi",
        ],
    },
    Script {
        name: "digits",
        family: "Noto Sans",
        lines: &[
            "12:30",
            "100%",
            "$1,299.00",
            "+49 30 901820",
            "2026-11-30",
            "192.168.178.1",
            "v2.14.3 (8812)",
            "1234 5678 9012",
            "€ 12,50",
            "7",
            "42",
            "00:15:07",
            "5.2 GB of 64 GB",
            "1/3",
            "#4521",
            "No. 17",
            "18°",
            "−3 °C",
            "×2",
            "50 km/h",
        ],
    },
    Script {
        name: "codes",
        family: "Noto Sans",
        lines: &[
            "https://example.com/a?b=1",
            "anna.k@example.org",
            "xK9#qT2!mZ",
            "hunter2",
            "Tr0ub4dor&3",
            "9F-A3-00-BC-12",
            "ABCD-EFGH-JKLM",
            "user_name_01",
            "fe80::1c2d:3e4f",
            "SKU-88X0Q",
            "aGVsbG8gd29ybGQ=",
            "WPA2/WPA3",
            "DHL 00340434",
            "/usr/local/bin",
            "build #a3f09c",
            "RX-78-2",
            "QWERTZ",
            "lorem_ipsum.txt",
            "KB5034441",
            "tel:+15550100",
        ],
    },
    Script {
        name: "Chinese",
        family: "Noto Sans CJK SC",
        lines: &[
            "设置",
            "无线局域网",
            "隐私与安全性",
            "更改已成功保存",
            "取消",
            "照片",
            "登录",
            "通知已关闭",
            "三条新消息",
            "两分钟前更新",
            "蓝牙",
            "通用",
            "显示与亮度",
            "电池",
            "密码",
            "忘记密码？",
            "微信支付",
            "WiFi 已连接",
            "iPhone 储存空间",
            "版本 2.14",
        ],
    },
    Script {
        name: "Japanese",
        family: "Noto Sans CJK JP",
        lines: &[
            "設定",
            "キャンセル",
            "変更が保存されました",
            "写真とカメラ",
            "ログイン",
            "パスワード",
            "プライバシー",
            "通知",
            "電池",
            "メッセージ",
            "Wi-Fi に接続",
            "一般",
            "画面表示と明るさ",
            "アカウント",
            "すべて削除",
            "はい",
            "いいえ",
            "東京駅",
            "お気に入り",
            "コントロールセンター",
        ],
    },
];

const UNREAD: &[Script] = &[
    Script {
        name: "Arabic",
        family: "Noto Sans Arabic",
        lines: &[
            "الإعدادات",
            "الخصوصية والأمان",
            "تم حفظ التغييرات بنجاح",
            "الصور والكاميرا",
            "إلغاء",
            "تسجيل الدخول",
            "كلمة المرور",
            "الإشعارات",
            "رسائل جديدة",
            "البطارية",
            "الشاشة والإضاءة",
            "عام",
            "بلوتوث",
            "نعم",
            "حذف الكل",
            "نسيت كلمة المرور؟",
            "تم التحديث قبل دقيقتين",
            "شبكة لاسلكية",
            "المفضلة",
            "مركز التحكم",
        ],
    },
    Script {
        name: "Persian",
        family: "Noto Naskh Arabic",
        lines: &[
            "تنظیمات",
            "حریم خصوصی و امنیت",
            "تغییرات ذخیره شد",
            "عکس‌ها و دوربین",
            "لغو",
            "ورود",
            "گذرواژه",
            "اعلان‌ها",
            "پیام‌های جدید",
            "باتری",
            "صفحه نمایش",
            "عمومی",
            "بلوتوث",
            "بله",
            "حذف همه",
            "رمز را فراموش کرده‌اید؟",
            "دو دقیقه پیش",
            "شبکه بی‌سیم",
            "علاقه‌مندی‌ها",
            "مرکز کنترل",
        ],
    },
    Script {
        name: "Hebrew",
        family: "Noto Sans Hebrew",
        lines: &[
            "הגדרות",
            "פרטיות ואבטחה",
            "השינויים נשמרו בהצלחה",
            "תמונות ומצלמה",
            "ביטול",
            "כניסה",
            "סיסמה",
            "התראות",
            "הודעות חדשות",
            "סוללה",
            "תצוגה ובהירות",
            "כללי",
            "רשת אלחוטית",
            "כן",
            "מחק הכול",
            "שכחת את הסיסמה?",
            "עודכן לפני שתי דקות",
            "מועדפים",
            "מרכז הבקרה",
            "אישור",
        ],
    },
    Script {
        name: "Korean",
        family: "Noto Sans CJK KR",
        lines: &[
            "설정",
            "개인정보 보호 및 보안",
            "변경 사항이 저장되었습니다",
            "사진 및 카메라",
            "취소",
            "로그인",
            "비밀번호",
            "알림",
            "새 메시지",
            "배터리",
            "화면 밝기",
            "일반",
            "블루투스",
            "예",
            "모두 삭제",
            "비밀번호를 잊으셨나요?",
            "2분 전 업데이트",
            "와이파이 네트워크",
            "즐겨찾기",
            "제어 센터",
        ],
    },
    Script {
        name: "Thai",
        family: "Noto Sans Thai",
        lines: &[
            "การตั้งค่า",
            "ความเป็นส่วนตัว",
            "บันทึกการเปลี่ยนแปลงแล้ว",
            "รูปภาพและกล้อง",
            "ยกเลิก",
            "เข้าสู่ระบบ",
            "รหัสผ่าน",
            "การแจ้งเตือน",
            "ข้อความใหม่",
            "แบตเตอรี่",
            "จอภาพและความสว่าง",
            "ทั่วไป",
            "บลูทูธ",
            "ใช่",
            "ลบทั้งหมด",
            "ลืมรหัสผ่าน?",
            "เครือข่ายไวไฟ",
            "รายการโปรด",
            "ศูนย์ควบคุม",
            "ตกลง",
        ],
    },
    Script {
        name: "Greek",
        family: "Noto Sans",
        lines: &[
            "Ρυθμίσεις",
            "Απόρρητο και ασφάλεια",
            "Οι αλλαγές αποθηκεύτηκαν",
            "Φωτογραφίες και κάμερα",
            "Ακύρωση",
            "Σύνδεση",
            "Κωδικός",
            "Ειδοποιήσεις",
            "Νέα μηνύματα",
            "Μπαταρία",
            "Οθόνη και φωτεινότητα",
            "Γενικά",
            "ΡΥΘΜΙΣΕΙΣ",
            "Ναι",
            "Διαγραφή όλων",
            "Ξεχάσατε τον κωδικό;",
            "Ενημερώθηκε πριν 2 λεπτά",
            "Ασύρματο δίκτυο",
            "Αγαπημένα",
            "Κέντρο ελέγχου",
        ],
    },
    Script {
        name: "Russian",
        family: "Noto Sans",
        lines: &[
            "Настройки",
            "Конфиденциальность",
            "Изменения сохранены",
            "Фото и камера",
            "Отмена",
            "Войти",
            "Пароль",
            "Уведомления",
            "Новые сообщения",
            "Аккумулятор",
            "Экран и яркость",
            "Основные",
            "НАСТРОЙКИ",
            "Да",
            "Удалить все",
            "Забыли пароль?",
            "Обновлено 2 минуты назад",
            "Беспроводная сеть",
            "Избранное",
            "Пункт управления",
        ],
    },
    Script {
        name: "Ukrainian",
        family: "Noto Sans",
        lines: &[
            "Налаштування",
            "Приватність і безпека",
            "Зміни збережено",
            "Фото й камера",
            "Скасувати",
            "Увійти",
            "Пароль",
            "Сповіщення",
            "Нові повідомлення",
            "Акумулятор",
            "Екран і яскравість",
            "Загальні",
            "НАЛАШТУВАННЯ",
            "Так",
            "Видалити все",
            "Забули пароль?",
            "Оновлено 2 хвилини тому",
            "Бездротова мережа",
            "Обране",
            "Центр керування",
        ],
    },
    Script {
        name: "Hindi",
        family: "Noto Sans Devanagari",
        lines: &[
            "सेटिंग्स",
            "गोपनीयता और सुरक्षा",
            "परिवर्तन सहेजे गए",
            "फ़ोटो और कैमरा",
            "रद्द करें",
            "साइन इन",
            "पासवर्ड",
            "सूचनाएँ",
            "नए संदेश",
            "बैटरी",
            "स्क्रीन और चमक",
            "सामान्य",
            "ब्लूटूथ",
            "हाँ",
            "सभी हटाएँ",
            "पासवर्ड भूल गए?",
            "वायरलेस नेटवर्क",
            "पसंदीदा",
            "नियंत्रण केंद्र",
            "ठीक है",
        ],
    },
    Script {
        name: "Bengali",
        family: "Noto Sans Bengali",
        lines: &[
            "সেটিংস",
            "গোপনীয়তা ও নিরাপত্তা",
            "পরিবর্তন সংরক্ষিত",
            "ছবি ও ক্যামেরা",
            "বাতিল",
            "সাইন ইন",
            "পাসওয়ার্ড",
            "বিজ্ঞপ্তি",
            "নতুন বার্তা",
            "ব্যাটারি",
        ],
    },
    Script {
        name: "Tamil",
        family: "Noto Sans Tamil",
        lines: &[
            "அமைப்புகள்",
            "தனியுரிமை",
            "மாற்றங்கள் சேமிக்கப்பட்டன",
            "படங்கள்",
            "ரத்து",
            "உள்நுழை",
            "கடவுச்சொல்",
            "அறிவிப்புகள்",
            "புதிய செய்திகள்",
            "மின்கலம்",
        ],
    },
    Script {
        name: "Georgian",
        family: "Noto Sans Georgian",
        lines: &[
            "პარამეტრები",
            "კონფიდენციალურობა",
            "ცვლილებები შენახულია",
            "ფოტოები",
            "გაუქმება",
            "შესვლა",
            "პაროლი",
            "შეტყობინებები",
            "ბატარეა",
            "ზოგადი",
        ],
    },
    Script {
        name: "Armenian",
        family: "Noto Sans Armenian",
        lines: &[
            "Կարգավորումներ",
            "Գաղտնիություն",
            "Փոփոխությունները պահված են",
            "Լուսանկարներ",
            "Չեղարկել",
            "Մուտք",
            "Գաղտնաբառ",
            "Ծանուցումներ",
            "Մարտկոց",
            "Ընդհանուր",
        ],
    },
];

struct Pen {
    system: FontSystem,
    cache: SwashCache,
}

impl Pen {
    /// All lines of a script below each other.
    fn draw(&mut self, script: &Script, (size, weight, ink, ground): (f32, u16, u8, u8)) -> Vec<u8> {
        let height = ROW * script.lines.len() as u32;
        let mut data = vec![ground; (WIDTH * height * 3) as usize];
        let attributes = Attrs::new().family(Family::Name(script.family)).weight(Weight(weight));
        for (row, text) in script.lines.iter().enumerate() {
            let mut buffer = Buffer::new(&mut self.system, Metrics::new(size, size * 1.4));
            buffer.set_size(Some(WIDTH as f32 - 100.0), None);
            buffer.set_text(text, &attributes, Shaping::Advanced, None);
            buffer.shape_until_scroll(&mut self.system, false);
            let top = row as i32 * ROW as i32 + 10;
            buffer.draw(&mut self.system, &mut self.cache, Color::rgb(ink, ink, ink), |x, y, width, rows, color| {
                for (x, y) in (y..y + rows as i32).flat_map(|y| (x..x + width as i32).map(move |x| (x + 60, y + top))) {
                    if (0..WIDTH as i32).contains(&x) && (0..height as i32).contains(&y) {
                        let at = (y as usize * WIDTH as usize + x as usize) * 3;
                        let alpha = u32::from(color.a());
                        for value in &mut data[at..at + 3] {
                            *value = ((u32::from(*value) * (255 - alpha) + u32::from(ink) * alpha) / 255) as u8;
                        }
                    }
                }
            });
        }
        data
    }
}

#[derive(Default)]
struct Tally {
    all: usize,
    exact: usize,
    readable: usize,
    unread: usize,
    nothing: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let prints = words.iter().any(|word| word == "--lines");
    let files: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let mut reader = Reader::new();
    if let [model, dictionary] = files[..] {
        let extra = Extra {
            name: model.clone(),
            model: std::fs::read(model).expect("the model can be read"),
            dictionary: std::fs::read_to_string(dictionary).expect("the dictionary can be read"),
        };
        reader.add(extra).unwrap_or_else(|error| panic!("{error}"));
    }
    let mut pen = Pen { system: FontSystem::new(), cache: SwashCache::new() };
    println!("{:10} {:>5} {:>6} {:>9} {:>7} {:>7}", "script", "lines", "exact", "readable", "unread", "nothing");
    for (scripts, readable) in [(READ, true), (UNREAD, false)] {
        for script in scripts {
            let mut tally = Tally::default();
            for look in LOOKS {
                let data = pen.draw(script, look);
                let height = ROW * script.lines.len() as u32;
                let picture = Picture { width: WIDTH, height, channels: 3, data: &data };
                let lines = reader.read(&picture, None).expect("it can be read").lines;
                for (row, text) in script.lines.iter().enumerate() {
                    let within =
                        |line: &&Line| ((line.bounds.y + line.bounds.height / 2.0) / f64::from(ROW)) as usize == row;
                    let lines: Vec<&Line> = lines.iter().filter(within).collect();
                    tally.count(text, &lines);
                    if prints {
                        let read: Vec<_> = lines.iter().map(|line| (line.readable, &line.text, line.score)).collect();
                        let wrong = lines.iter().any(|line| line.readable != readable) || lines.is_empty();
                        println!("  {} {text:?} {} {read:?}", if wrong { "-" } else { "+" }, look.0);
                    }
                }
            }
            let Tally { exact, readable, unread, nothing, all } = tally;
            println!("{:10} {all:5} {exact:6} {readable:9} {unread:7} {nothing:7}", script.name);
        }
    }
}

impl Tally {
    fn count(&mut self, text: &str, lines: &[&Line]) {
        let plain = |text: &str| text.chars().filter(|ch| !ch.is_whitespace()).collect::<String>();
        let read: String = lines.iter().filter(|line| line.readable).map(|line| line.text.as_str()).collect();
        self.all += 1;
        self.exact += usize::from(plain(&read) == plain(text));
        match lines {
            [] => self.nothing += 1,
            lines if lines.iter().any(|line| !line.readable) => self.unread += 1,
            _ => self.readable += 1,
        }
    }
}
