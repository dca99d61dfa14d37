//! Text that no package holds enough of, drawn by a seeded generator: tool output, logs, encoded bytes, emoji.
//!
//! `Half::Training` and `Half::Test` share no template, no word list and no seed.

use crate::sources::Class;
use crate::texts::Message;

/// Which half of the generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Half {
    Training,
    Test,
}

/// `count` messages of each generated class.
#[must_use]
pub fn messages(half: Half, count: usize) -> Vec<Message> {
    let mut dice = Dice(if half == Half::Training { 0x5EED_0001 } else { 0x0DD5_7E57 });
    let classes = [Class::Json, Class::Logs, Class::Base64, Class::Hex, Class::Emoji];
    let mut all = Vec::new();
    for class in classes {
        for at in 0..count {
            let mut text = String::new();
            while text.chars().count() < class.piece() {
                text += &line(&mut dice, half, class, at);
            }
            all.push(Message { class, text: text.chars().take(class.piece()).collect() });
        }
    }
    all
}

fn line(dice: &mut Dice, half: Half, class: Class, at: usize) -> String {
    let training = half == Half::Training;
    match class {
        Class::Json if training => record_a(dice),
        Class::Json => record_b(dice, at),
        Class::Logs if training => log_a(dice, at),
        Class::Logs => log_b(dice, at),
        Class::Base64 => base64_line(dice, training, at),
        Class::Hex => hex_line(dice, training, at),
        _ => emoji_line(dice, training),
    }
}

fn record_a(dice: &mut Dice) -> String {
    let (id, name, host) = (dice.hex(32), dice.of(NAMES_A), dice.of(WORDS_A));
    let (count, ratio, at) = (dice.below(100_000), dice.below(1_000), date(dice));
    format!(
        "{{\"id\": \"{id}\", \"name\": \"{name}\", \"status\": \"{}\", \"count\": {count}, \"ratio\": 0.{ratio:03}, \"createdAt\": \"{at}Z\", \"path\": \"/srv/{host}/{}.json\", \"tags\": [\"{}\", \"{}\"], \"active\": {}}},\n",
        dice.of(WORDS_A),
        dice.of(WORDS_A),
        dice.of(WORDS_A),
        dice.of(WORDS_A),
        dice.below(2) == 0,
    )
}

fn record_b(dice: &mut Dice, at: usize) -> String {
    let uuid = uuid(dice);
    let (login, repo) = (dice.of(WORDS_B), dice.of(WORDS_B));
    if at.is_multiple_of(2) {
        return format!(
            "{{\"number\":{},\"node_id\":\"{uuid}\",\"user\":{{\"login\":\"{login}\",\"id\":{},\"type\":\"User\"}},\"html_url\":\"https://example.org/{login}/{repo}/pull/{}\",\"state\":\"{}\",\"additions\":{},\"merged_at\":null}},",
            dice.below(9_000),
            dice.below(9_000_000),
            dice.below(9_000),
            dice.of(WORDS_B),
            dice.below(700),
        );
    }
    format!(
        "    {{\n      \"file\": \"src/{login}/{repo}.ts\",\n      \"line\": {},\n      \"match\": \"{} {} {}\",\n      \"score\": {}.{:02}\n    }},\n",
        dice.below(2_000),
        dice.of(WORDS_B),
        dice.of(WORDS_B),
        dice.of(WORDS_B),
        dice.below(90),
        dice.below(100),
    )
}

fn log_a(dice: &mut Dice, at: usize) -> String {
    let (when, level, module) = (date(dice), dice.of(&["INFO", "WARN", "ERROR", "DEBUG"]), dice.of(WORDS_A));
    let ip = format!("10.{}.{}.{}", dice.below(256), dice.below(256), dice.below(256));
    match at % 8 {
        6 => format!(
            "Nov {:2} {} {module}-{} {}[{}]: {} {} {} from {ip} port {}\n",
            1 + dice.below(28),
            clock(dice),
            dice.below(9),
            dice.of(WORDS_A),
            dice.below(30_000),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.below(65_536)
        ),
        7 => format!(
            "{}.{:03} | {level:5} | {module} | {}: {} of {} {} in {}.{} s\n",
            clock(dice),
            dice.below(1_000),
            dice.of(WORDS_A),
            dice.below(500),
            dice.below(500),
            dice.of(WORDS_A),
            dice.below(100),
            dice.below(10)
        ),
        4 => format!(
            "    at com.acme.{module}.{}.{}({}.java:{})\n",
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.below(900)
        ),
        5 => format!(
            "{} {module}-{} CRON[{}]: ({}) Could not {} file {}/{}: no such file or directory\n",
            clock(dice),
            dice.below(90),
            dice.below(30_000),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.of(WORDS_A)
        ),
        0 => format!(
            "{when}Z {level} [{module}] request {} from {ip} took {}ms status={}\n",
            dice.hex(16),
            dice.below(4_000),
            200 + dice.below(304)
        ),
        1 => format!(
            "{ip} - - [{:02}/Nov/2025:{} +0000] \"GET /api/{module}/{} HTTP/1.1\" {} {}\n",
            1 + dice.below(28),
            clock(dice),
            dice.below(99_999),
            200 + dice.below(304),
            dice.below(60_000)
        ),
        2 => format!(
            "level={} ts={when}Z caller={module}.go:{} msg=\"{} {}\" duration={}.{}s\n",
            level.to_lowercase(),
            dice.below(900),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.below(9),
            dice.below(999)
        ),
        _ => format!(
            "[{}.{:06}] {module}: {} {} at 0x{}\n",
            dice.below(99_999),
            dice.below(999_999),
            dice.of(WORDS_A),
            dice.of(WORDS_A),
            dice.hex(16)
        ),
    }
}

fn log_b(dice: &mut Dice, at: usize) -> String {
    let service = dice.of(WORDS_B);
    match at % 4 {
        0 => format!(
            "{:02}-{:02} {}.{:03} {:5} {:5} I {service}: {} {} ({} of {})\n",
            1 + dice.below(12),
            1 + dice.below(28),
            clock(dice),
            dice.below(1_000),
            dice.below(32_000),
            dice.below(32_000),
            dice.of(WORDS_B),
            dice.of(WORDS_B),
            dice.below(64),
            dice.below(64)
        ),
        1 => format!(
            "Feb {:2} {} host{} {service}[{}]: Failed to {} session {} for user {}\n",
            1 + dice.below(28),
            clock(dice),
            dice.below(40),
            dice.below(32_000),
            dice.of(WORDS_B),
            dice.below(9_999),
            dice.of(WORDS_B)
        ),
        2 => format!(
            "time=\"{}+02:00\" level=warning msg=\"{} {}\" container={} pid={}\n",
            date(dice),
            dice.of(WORDS_B),
            dice.of(WORDS_B),
            dice.hex(12),
            dice.below(32_000)
        ),
        _ => format!(
            "#{} {}.{} {service} compiling {} v{}.{}.{} ({}%)\n",
            dice.below(40),
            dice.below(900),
            dice.below(10),
            dice.of(WORDS_B),
            dice.below(9),
            dice.below(40),
            dice.below(20),
            dice.below(101)
        ),
    }
}

fn base64_line(dice: &mut Dice, training: bool, at: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let length = [76, 64, 3_999, 344][(at + usize::from(training)) % 4];
    let mut line: String = (0..length).map(|_| char::from(DIGITS[dice.below(64) as usize])).collect();
    line.push('\n');
    line
}

fn hex_line(dice: &mut Dice, training: bool, at: usize) -> String {
    let (wide, name) = (dice.hex(64), dice.of(if training { WORDS_A } else { WORDS_B }));
    match (at % 4, training) {
        (0, _) => dice.hex(4_000),
        (1, true) => format!("{wide}  {name}.tar.gz\n"),
        (1, false) => format!("sha256:{wide}\n"),
        (2, true) => format!("{}\n", dice.hex(40)),
        (2, false) => format!("{} {name}\n", dice.hex(40)),
        (_, true) => format!("{}\n", uuid(dice)),
        (_, false) => format!("{}\n", dice.hex(128)),
    }
}

/// Words with emoji among them, and runs of emoji: with skin tones, joined families, flags and hearts.
fn emoji_line(dice: &mut Dice, training: bool) -> String {
    let mut line = String::new();
    for _ in 0..1 + dice.below(if training { 4 } else { 3 }) {
        // Pictures, faces, transport, and what came later; in the test half the faces that people send most are half of all.
        let (from, many) =
            [(0x1F300, 0x200), (0x1F600, 0x50), (0x1F680, 0x46), (0x1F900, 0x100)][dice.below(4) as usize];
        let drawn = char::from_u32(from + dice.below(many) as u32);
        let sent = SENT_MOST.chars().nth(dice.below(24) as usize);
        line.extend(if training || dice.below(2) == 0 { drawn } else { sent });
        match dice.below(8) {
            0 => line.push('\u{1F3FD}'),
            1 => line.extend(['\u{200D}', if training { '\u{1F4BB}' } else { '\u{1F680}' }]),
            2 => line.push('\u{FE0F}'),
            3 => line.extend(['\u{2764}', '\u{FE0F}']),
            4 => line.extend(if training { ['\u{1F1E9}', '\u{1F1EA}'] } else { ['\u{1F1EF}', '\u{1F1F5}'] }),
            _ => {}
        }
    }
    let words = if training { WORDS_A } else { WORDS_B };
    if dice.below(2) == 0 {
        line += &format!(" {} {}", dice.of(words), dice.of(words));
    }
    line.push(if dice.below(6) == 0 { '\n' } else { ' ' });
    line
}

fn date(dice: &mut Dice) -> String {
    format!(
        "20{}-{:02}-{:02}T{}.{:03}",
        20 + dice.below(8),
        1 + dice.below(12),
        1 + dice.below(28),
        clock(dice),
        dice.below(1_000)
    )
}

fn clock(dice: &mut Dice) -> String {
    format!("{:02}:{:02}:{:02}", dice.below(24), dice.below(60), dice.below(60))
}

fn uuid(dice: &mut Dice) -> String {
    format!("{}-{}-4{}-a{}-{}", dice.hex(8), dice.hex(4), dice.hex(3), dice.hex(3), dice.hex(12))
}

/// `SplitMix64`: the same numbers on every machine.
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from(b"0123456789abcdef"[self.below(16) as usize])).collect()
    }
}

const SENT_MOST: &str = "😂🤣😍🙏😊🥰😭😘👍😅👏😁🔥💔💖💙😢🤔😆🙄💪😉👌🤗";
const NAMES_A: &[&str] = &["Ada Meyer", "Jun Watanabe", "Lucía Pérez", "Tom Baker", "Olga Petrova", "Sam O'Neill"];
const WORDS_A: &[&str] = &[
    "connection",
    "worker",
    "payments",
    "ready",
    "timeout",
    "cache",
    "pending",
    "index",
    "retry",
    "upstream",
    "closed",
    "scheduler",
    "queue",
    "invoice",
    "database",
    "gateway",
    "handler",
    "metrics",
    "failed",
    "started",
    "shard",
    "token",
    "build",
    "orders",
    "user",
    "request",
    "response",
    "server",
    "client",
    "message",
    "error",
    "warning",
    "memory",
    "disk",
    "file",
    "process",
    "service",
    "container",
    "image",
    "request",
    "stream",
    "buffer",
    "event",
    "update",
    "delete",
    "create",
    "insert",
    "record",
    "cluster",
    "node",
    "leader",
    "replica",
    "config",
    "loaded",
    "missing",
    "expired",
    "invalid",
    "denied",
    "accepted",
    "login",
    "password",
    "email",
    "account",
    "product",
    "price",
    "total",
    "items",
    "page",
    "link",
    "title",
    "content",
    "version",
];
const WORDS_B: &[&str] = &[
    "storage", "render", "session", "open", "deploy", "socket", "merged", "backup", "parser", "network", "search",
    "window", "display", "systemd", "compile", "volume", "monitor", "thread", "snapshot", "profile", "layout", "audio",
    "sensor", "report",
];
