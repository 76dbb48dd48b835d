//! The names people give to icons: one line a concept, its own name first, then words that mean it.
//!
//! Data only. Words are lower case; several words in one entry must stand together.

/// One concept: the name that answers carry, and the words that mean it.
pub(super) struct Concept {
    pub(super) name: &'static str,
    pub(super) words: &'static [&'static str],
}

macro_rules! concepts {
    ($($name:literal: $($word:literal),*;)*) => {
        &[$(Concept { name: $name, words: &[$name $(, $word)*] }),*]
    };
}

/// All concepts.
pub(super) const CONCEPTS: &[Concept] = concepts! {
    "settings": "setting", "gear", "gearshape", "cog", "cogwheel", "preferences", "options", "configure", "configuration", "设置", "設定", "einstellungen", "ajustes", "réglages", "настройки", "설정";
    "back": "go back", "navigate up", "arrow left", "arrow back", "chevron left", "chevron backward", "previous", "nav back", "返回", "戻る", "zurück", "atrás", "retour", "назад", "뒤로";
    "forward": "go forward", "arrow right", "arrow forward", "chevron right", "chevron forward", "next";
    "close": "dismiss", "cancel", "x", "xmark", "cross", "clear", "exit", "multiply", "关闭", "閉じる", "schließen", "cerrar", "fermer", "закрыть", "닫기";
    "share": "share sheet", "square and arrow up", "action", "export", "分享", "共有", "teilen", "compartir", "partager", "поделиться", "공유";
    "search": "magnifier", "magnifying glass", "magnifyingglass", "find", "lookup", "搜索", "検索", "suchen", "buscar", "rechercher", "поиск", "검색";
    "add": "plus", "new", "create", "compose new", "insert", "添加", "追加", "hinzufügen", "añadir", "ajouter", "добавить", "추가";
    "remove": "minus", "subtract", "take away";
    "delete": "trash", "trash can", "bin", "rubbish", "garbage", "erase", "删除", "削除", "löschen", "eliminar", "supprimer", "удалить", "삭제";
    "edit": "pencil", "pen", "modify", "rename", "编辑", "編集", "bearbeiten", "editar", "modifier", "편집";
    "compose": "write", "square and pencil", "new message", "new note";
    "more": "ellipsis", "overflow", "more options", "three dots", "dots", "kebab", "meatballs", "更多", "その他", "mehr", "más", "plus d'options", "ещё", "더보기";
    "menu": "hamburger", "hamburger menu", "three lines", "line 3 horizontal", "drawer", "navigation drawer", "sidebar", "side menu", "菜单", "メニュー";
    "home": "house", "home page", "start page", "主页", "首页", "ホーム", "홈";
    "profile": "account", "person", "user", "avatar", "person crop circle", "my account", "me", "我的", "プロフィール", "프로필";
    "people": "group", "contacts", "friends", "person 2", "members", "team", "users";
    "camera": "take photo", "take picture", "photo camera", "shutter", "相机", "カメラ", "카메라";
    "photo": "image", "picture", "gallery", "photos", "photo library", "album", "图片", "照片";
    "video": "camcorder", "film", "movie", "video camera", "record video";
    "microphone": "mic", "dictate", "dictation", "voice", "voice search", "record audio", "麦克风", "マイク";
    "speaker": "volume", "sound", "audio", "loudspeaker", "speaker wave";
    "mute": "silent", "sound off", "speaker slash", "unmute", "mic slash";
    "send": "paperplane", "paper plane", "submit message", "arrow up circle", "发送", "送信", "senden", "enviar", "envoyer", "отправить", "보내기";
    "call": "phone", "telephone", "handset", "dial", "电话", "電話", "anrufen", "llamar", "appeler", "전화";
    "hang up": "end call", "phone down", "decline call";
    "mail": "email", "e-mail", "envelope", "inbox", "邮件", "メール", "메일";
    "message": "chat", "bubble", "comment", "speech bubble", "messages", "conversation", "消息", "评论", "コメント";
    "favourite": "favorite", "favorites", "favourites", "heart", "like", "love", "收藏", "お気に入り", "찜";
    "star": "rate", "rating", "starred";
    "bookmark": "save for later", "read later", "saved";
    "thumbs up": "thumb up", "hand thumbsup", "upvote";
    "thumbs down": "thumb down", "hand thumbsdown", "downvote", "dislike";
    "play": "start playback", "play button", "resume", "播放", "再生", "재생";
    "pause": "hold playback", "暂停", "一時停止";
    "stop": "stop playback", "stop recording";
    "skip next": "next track", "forward end", "skip forward";
    "skip previous": "previous track", "backward end", "skip back", "rewind";
    "shuffle": "random order";
    "repeat": "loop";
    "download": "arrow down", "save to device", "icloud and arrow down", "下载", "ダウンロード", "다운로드";
    "upload": "icloud and arrow up", "上传";
    "refresh": "reload", "sync", "arrow clockwise", "update", "try again", "刷新", "更新";
    "undo": "arrow uturn backward", "revert";
    "redo": "arrow uturn forward";
    "calendar": "date", "schedule", "agenda", "日历", "カレンダー";
    "clock": "time", "alarm", "timer", "stopwatch", "history", "recent", "recents";
    "location": "pin", "map pin", "place", "marker", "gps", "mappin", "my location", "位置", "定位";
    "map": "maps", "directions", "navigate", "route", "地图", "地図";
    "lock": "locked", "padlock", "secure", "private";
    "unlock": "unlocked", "open lock", "lock open";
    "key": "password", "passcode", "credentials";
    "notification": "notifications", "bell", "alerts", "alert bell", "通知", "お知らせ", "알림";
    "help": "question", "question mark", "questionmark", "support", "faq", "帮助", "ヘルプ";
    "info": "information", "about", "details", "i circle", "more info";
    "warning": "exclamation", "caution", "exclamationmark", "error";
    "cart": "shopping cart", "basket", "bag", "shopping bag", "trolley", "checkout", "购物车", "カート", "장바구니";
    "filter": "funnel", "refine", "line 3 horizontal decrease", "筛选";
    "sort": "sort by", "arrow up arrow down", "order by";
    "list": "list view", "bullets", "list bullet";
    "grid": "grid view", "tiles", "square grid", "apps grid";
    "copy": "duplicate", "doc on doc", "copy to clipboard", "复制", "コピー";
    "paste": "paste from clipboard", "clipboard";
    "attach": "attachment", "paperclip", "clip", "attach file", "附件";
    "link": "chain", "url", "hyperlink";
    "document": "file", "doc", "page", "paper";
    "folder": "directory", "files";
    "archive": "archivebox", "box";
    "print": "printer";
    "scan": "qr", "qr code", "qrcode", "barcode", "viewfinder", "scanner", "扫一扫";
    "wifi": "wi-fi", "wireless", "wlan";
    "bluetooth": "ble";
    "battery": "charge", "charging";
    "airplane": "airplane mode", "flight", "plane", "flight mode";
    "flashlight": "torch", "light";
    "brightness": "sun", "light mode", "day mode", "sun max";
    "dark mode": "moon", "night", "night mode", "do not disturb";
    "cloud": "icloud", "weather";
    "globe": "language", "world", "web", "browser", "international", "translate";
    "eye": "show", "show password", "visibility", "view", "reveal", "preview";
    "hide": "eye slash", "hide password", "invisible", "eye off";
    "check": "checkmark", "tick", "done", "ok", "confirm", "accept", "完成", "確認";
    "up": "arrow up", "chevron up", "expand less", "collapse", "scroll to top";
    "down": "arrow down", "chevron down", "expand", "expand more", "dropdown", "drop down";
    "fullscreen": "full screen", "maximize", "enlarge";
    "zoom in": "plus magnifyingglass";
    "zoom out": "minus magnifyingglass";
    "keyboard": "show keyboard", "hide keyboard";
    "emoji": "smiley", "face", "sticker", "emoticon", "表情";
    "gift": "present", "rewards";
    "tag": "label", "price tag";
    "flag": "report", "mark";
    "payment": "card", "credit card", "wallet", "pay", "creditcard";
    "chart": "graph", "statistics", "stats", "analytics", "trending", "activity";
    "power": "turn off", "shut down", "on off";
    "log out": "logout", "sign out", "leave";
    "log in": "login", "sign in";
    "block": "ban", "forbidden", "nosign";
    "music": "note", "song", "musical note", "tunes";
    "news": "newspaper", "article";
    "book": "read", "library", "books";
    "car": "drive", "vehicle", "taxi";
    "shop": "store", "storefront", "market";
    "game": "gamecontroller", "controller", "games", "joystick";
};
