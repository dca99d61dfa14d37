//! What is refused as a summary, and what must not be: each class by its own reason, and good summaries in many
//! languages that look a little like one of them.

use compaction_governor::{
    summary::{
        Finish, InPlaceInput, Item, Limits, Material, Rejection, RequestInput, Templates, check, check_in_place,
        fallback, in_place, render,
    },
    tokens::rough,
    transcript::{Kind, Role},
};

const ROOMY: Limits = Limits { slice_tokens: 100_000, cap: 8_192, scale_permille: 1_000 };

fn code(text: &str) -> &'static str {
    match check(text, Finish::Stop, &ROOMY) {
        Ok(_) => "accepted",
        Err(rejection) => rejection.code(),
    }
}

#[test]
fn good_summaries_in_many_languages_are_accepted_however_short() {
    let good = [
        "User wants login fixed.",
        "**User wants the login fixed in two steps.**\n**The first is done.**",
        "# Login fixed, tests open",
        "# Login\nFixed in src/auth.rs; tests are open.",
        "Goal:\nlogin\n\nOpen:\ntests",
        "修复登录。",
        "用户要改登录页,已改完,待测试。",
        "無法登入的問題已修正,尚待測試。",
        "抱歉页面改为蓝色;用户确认。",
        "没有可总结列表时显示的文字改在 `src/empty.tsx`。",
        "ログインを修正。次はテスト。",
        "ユーザーは要約する内容がない場合の表示を src/empty.tsx で変えたい。",
        "로그인 수정함. 테스트 남음.",
        "요약 기능을 src/sum.ts에 추가함. 다음: 테스트.",
        "Anmeldung repariert. Tests fehlen noch.",
        "Der Nutzer will nichts löschen; offen ist der Test in src/db.rs.",
        "Connexion corrigée. Reste : les tests.",
        "Rien à changer dans api.ts ; l'utilisateur veut un test de plus.",
        "Inicio de sesión corregido. Faltan pruebas.",
        "Não é possível entrar: erro 500 em api.ts, corrigido. Faltam testes.",
        "Accesso corretto. Mancano i test.",
        "Вход исправлен. Осталось: тесты.",
        "Пользователь не может войти: ошибка 500 исправлена в api.ts.",
        "تم إصلاح تسجيل الدخول. المتبقي: الاختبارات.",
        "लॉगिन ठीक किया गया। परीक्षण बाकी हैं।",
        "Giriş düzeltildi. Kalan: testler.",
        "Đã sửa đăng nhập. Còn lại: kiểm thử.",
        "แก้ไขการเข้าสู่ระบบแล้ว เหลือการทดสอบ",
        "ההתחברות תוקנה. נותרו בדיקות.",
    ];
    for text in good {
        assert_eq!(check(text, Finish::Stop, &ROOMY).map(|accepted| accepted.text), Ok(text));
    }
}

#[test]
fn good_summaries_that_speak_of_refusals_errors_calls_and_emptiness_are_accepted() {
    let good = [
        "Error: connection pool exhausted in src/db.rs; limit raised to 20.",
        "Error: timeout of the user's deploy. Next: raise it to 60 s.",
        "The model is overloaded too often for the user; a second provider was added in route.ts.",
        "Request failed with status code 429 for the user's key; retry added.",
        "Errors:\n429 Too Many Requests from the registry\nFixed by a retry in fetch.ts",
        "Something went wrong while the user deployed; the log in deploy.log names ENOSPC.",
        "As an AI startup they want the landing page in blue.",
        "Unfortunately, the build still fails: E0502 in src/plan.rs. Next: split the borrow.",
        "There are no messages in the queue; the worker was restarted and the user wants an alert.",
        "No transcripts are stored by default; the user asked for a switch in the settings.",
        "The conversation is about tax forms. Form 1040 is done; Schedule C is open.",
        "None of the tests pass yet. Next: fixtures.",
        "Unknown fields are kept now. Open: docs.",
        "OK button moved to the left; Cancel stays.",
        "{\"name\": \"Ada\", \"goal\": \"ship 1.2\", \"open\": [\"changelog\"]}",
        "The model printed its call as text:\n```\n<tool_call>\n{\"name\": \"read\", \"arguments\": {}}\n</tool_call>\n```\nStream \
         parsing was fixed in src/stream.rs; tests are open, and the user wants a changelog entry.",
        "Thinking was cut from answers:\n```\n<think>\nhm\n</think>\nanswer\n```\nThe rest of the parser is open.",
        "<summary>\nGoal: ship 1.2. Open: changelog.\n</summary>",
        "<state_snapshot>\n<goal>ship 1.2</goal>\n</state_snapshot>",
        "1. Introduction ............ 1\n2. Methods ................. 7\n3. Results ................ 19\n4. Appendix ............... 31",
        "| file | state |\n| ---- | ----- |\n| a.rs | done  |\n| b.rs | done  |\n| c.rs | open  |\n| d.rs | done  |",
        "- [x] parser\n- [x] printer\n- [x] linter\n- [x] tests\n- [ ] docs\n- [ ] release",
        "Ха-ха was the placeholder; the user wants \"ha ha ha ha ha ha ha ha\" removed from copy.md and a real text there.",
    ];
    for text in good {
        assert_eq!(check(text, Finish::Stop, &ROOMY).map(|accepted| accepted.text), Ok(text));
    }
}

// seeds: B8
#[test]
fn texts_that_are_no_summary_are_refused_by_their_class_in_many_forms_and_languages() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "empty",
            &[
                "\u{200b}\u{feff}",
                "<summary></summary>",
                "<reasoning>The user</reasoning>",
                "<think>a</think>\n<think>b</think>",
                "◁think▷嗯◁/think▷",
                "<|channel|>analysis<|message|>We need to",
                "I should write it now.\n</think>\n",
                "---\n***\n",
            ],
        ),
        (
            "refusal",
            &[
                "# Summary\n\nI'm sorry, but I can't help with that.",
                "I must decline to summarize this conversation.",
                "Unfortunately, I cannot assist.",
                "As an AI assistant, I do not keep records.",
                "I'm unable to process this content.",
                "Mi dispiace, ma non posso aiutarti.",
                "Sinto muito, mas não posso ajudar.",
                "Het spijt me, maar dat kan ik niet.",
                "Przepraszam, ale nie mogę w tym pomóc.",
                "Üzgünüm, ancak yardımcı olamam.",
                "我无法协助处理。",
                "عذرًا، لا أستطيع المساعدة.",
                "क्षमा करें, मैं मदद नहीं कर सकता।",
            ],
        ),
        (
            "error_text",
            &[
                "Error code: 400 - {'error': {'message': 'bad'}}",
                "API Error: 500 {\"type\":\"error\"}",
                "This model's maximum context length is 8192 tokens. However, you requested 9000.",
                "prompt is too long: 210000 tokens > 200000 maximum",
                "You exceeded your current quota, please check your plan.",
                "TypeError: fetch failed",
                "socket hang up",
                "Failed to summarize the conversation.",
                "Summary:\nError: 429 Too Many Requests",
                "{\"detail\": \"Not Found\"}",
                "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>",
                "An error occurred. Please try again later.",
                "Произошла ошибка при создании сводки.",
            ],
        ),
        (
            "tool_markup",
            &[
                "```tool_code\nprint(read('a.rs'))\n```",
                "<read_file>\n<path>a.rs</path>\n</read_file>",
                "<|channel|>commentary to=functions.read <|message|>{}",
                "<｜tool▁calls▁begin｜>read",
                "[{\"name\": \"read\", \"parameters\": {}}]",
                "Let me look.\n<tool_call>\n{\"name\": \"read\"}\n</tool_call>\n",
                "<function=read>{\"path\": \"a.rs\"}</function>",
            ],
        ),
        (
            "degenerate",
            &[
                "N/A",
                "null",
                "[object Object]",
                "Summary:",
                "好的。",
                "Hello! How can I help you today?",
                "Please provide the conversation you would like me to summarize.",
                "# Summary\n\nNothing to summarize.",
                "(Previous conversation summarized)",
                "No new information since the last summary.",
                "## Goal\n\n## Progress\n\n## Next steps\n",
                "**Goal:**\n- None\n\n**Progress:**\n- n/a\n",
                "目标:\n无\n\n进展:\n没有\n",
                "Das Transkript wurde gekürzt.",
                "Transcription tronquée.",
                "La conversación está vacía.",
                "Não há nada para resumir.",
                "Non c'è nulla da riassumere.",
                "Нечего резюмировать.",
                "对话已截断。",
                "要約する会話がありません。",
                "요약할 내용이 없습니다.",
                "لا يوجد شيء لتلخيصه.",
            ],
        ),
    ];
    for (expected, texts) in cases {
        for text in texts {
            assert_eq!(code(text), expected, "{text}");
        }
    }
}

// A summariser that was asked to be exhaustive wrote the old summary and everything else again. Five passes made 14 KB into
// 122 KB. Whatever it concatenates is refused or stays under the cap, and the request stays bounded.
// seeds: B5
#[test]
fn q12_five_passes_with_a_summariser_that_concatenates_do_not_grow() {
    let told = |pass: usize| -> String {
        let fact = |n: usize| format!("Fact {n}, told {pass} times: file src/part_{}.rs has {} lines. ", n * 7, n * n);
        (0..300).map(fact).collect()
    };
    let (same, anew) = (five_passes(&|_| told(0)), five_passes(&told));
    for sizes in [same, anew] {
        assert_eq!(sizes, [sizes[0]; 5]);
        assert!(sizes[0] > 0 && sizes[0] <= 8_192);
    }
}

/// Tokens of the live summary after each of five passes, with a summariser that appends to it.
fn five_passes(appended: &dyn Fn(usize) -> String) -> [u32; 5] {
    let slice = appended(0);
    let items = [Item { end: slice.len() as u32, role: Role::User, kind: Kind::NONE }];
    let limits = Limits { slice_tokens: 40_000, cap: 8_192, scale_permille: 1_000 };
    let mut live = String::new();
    [0, 1, 2, 3, 4].map(|pass| {
        let request = render(&RequestInput {
            material: Material::new(&slice, &items).expect("one item"),
            from_item: 0,
            previous: Some(live.as_str()).filter(|live| !live.is_empty()),
            focus: None,
            summary_cap: limits.cap,
            room_tokens: Some(20_000),
            output_limit: None,
            templates: Templates::default(),
        });
        assert!(rough(request.expect("the room is large enough").user.len() as u64) <= 20_000);
        let answer = format!("{live}\nPass {pass}. {}", appended(pass));
        if let Ok(accepted) = check(&answer, Finish::Stop, &limits) {
            live = accepted.text.to_owned();
        }
        rough(live.len() as u64)
    })
}

// A nothing to summarise became a skeleton of headings. 77 of 164 passes replaced the history by it. Headings without a
// word under them are no summary, and a plain summary is only made of something.
// seeds: B8
#[test]
fn q01_a_skeleton_of_headings_is_refused_and_none_is_written_without_a_model() {
    let skeleton = "## Goal\n(none)\n\n## Constraints\n- None\n\n## Progress\n### Done\n- n/a\n### Open\n\n## Next steps\nUnknown\n";
    assert_eq!(code(skeleton), "degenerate");
    assert_eq!(code(&skeleton.replace("Unknown", "Run the tests in tests/login.rs.")), "accepted");
    let nothing = Material::new("", &[]).expect("no item");
    let plain = fallback(&nothing, Some("Goal: ship 1.2"), &ROOMY).expect("there is a previous summary");
    assert!(plain.contains("Goal: ship 1.2"), "{plain}");
}

// An empty answer, or nothing but reasoning, was committed. 995 messages became a summary of length 0. Both are `empty`.
#[test]
fn q02_an_empty_or_thinking_only_answer_is_no_summary() {
    for text in ["", "\n", "<think>The user wants</think>", "<thinking>\nfirst,"] {
        assert_eq!(check(text, Finish::Stop, &ROOMY), Err(Rejection::Empty), "{text}");
    }
}

// A broken stream's error line replaced 195 messages. An error message is told from a summary that speaks of one.
#[test]
fn q03_an_error_line_is_no_summary() {
    assert_eq!(
        code("Error generating summary: peer closed connection without sending complete message body"),
        "error_text"
    );
    assert_eq!(code("Error: the peer closed the connection in net.rs; the user wants a retry."), "accepted");
}

// Reasoning cut off at the output limit, and tool markup, were stored. How an answer ended counts before what it says.
#[test]
fn q04_an_answer_that_was_cut_off_or_calls_a_tool_is_no_summary() {
    let good = "The user wants the login fixed in src/auth.rs.";
    assert_eq!(check(good, Finish::Length, &ROOMY), Err(Rejection::Unfinished));
    assert_eq!(check(good, Finish::ToolCalls, &ROOMY), Err(Rejection::ToolMarkup));
    assert_eq!(check(good, Finish::Refusal, &ROOMY), Err(Rejection::Refusal));
}

// Short Chinese summaries were refused as too short, and others came back in English. Length is counted in tokens, and the
// language asked for is the user's.
#[test]
fn q08_a_short_chinese_summary_is_accepted_and_the_users_language_is_asked_for() {
    assert_eq!(code("登录已修复,待测试。"), "accepted");
    let message =
        in_place(&InPlaceInput { until: None, focus: None, summary_cap: 500, templates: Templates::default() });
    assert!(message.contains("language that the user writes in"));
}

// The persona was told to say nothing, and the summariser inherited it. No pass ever succeeded. A silent or a talking
// persona is refused, and the caller is told to ask once in a request of its own.
#[test]
fn q14_a_persona_that_answers_in_place_is_asked_again_separately() {
    for text in ["", "As you wish. I remain silent.", "Arr! The treasure be in src/auth.rs, matey."] {
        assert!(check_in_place(text, Finish::Stop, &ROOMY).expect_err("no tags").retry_separate(), "{text}");
    }
}

// Sampling windows missed long periods: a block of 21 lines came 62 times and one of 8 lines 140 times, and both were kept.
// A loop of any period is found by its period, whatever stands before or behind it.
#[test]
fn q17_a_block_of_lines_over_and_over_is_refused_whatever_its_period() {
    let block = |lines: usize| -> String {
        (0..lines).map(|n| format!("- observation {} about file_{}.rs: {}\n", n * 17 % 29, n, n * n * 31)).collect()
    };
    let honest = "The user wants the memory compacted; two observations are open and one file is done.\n";
    for (lines, times) in [(21, 62), (8, 140), (1, 300), (200, 3), (900, 2)] {
        let looped = block(lines).repeat(times);
        let limits = Limits { slice_tokens: u32::MAX, cap: u32::MAX, scale_permille: 1_000 };
        for text in [looped.clone(), format!("{honest}{looped}"), format!("{looped}{honest}")] {
            assert_eq!(check(&text, Finish::Stop, &limits), Err(Rejection::Repetition), "{lines} lines, {times} times");
        }
    }
    for looped in ["的".repeat(400), "ab".repeat(200), "ha! ".repeat(90), "The user. ".repeat(60)] {
        assert_eq!(code(&format!("{honest}{looped}")), "repetition", "{}", &looped[..12]);
    }
    assert_eq!(code(&block(60)), "accepted");
}

// The summary said that the latest messages were kept, whatever was kept. The model trusted text that was not there. The
// summariser is told to say nothing about what is shown, and where the covered part ends.
#[test]
fn q18_the_summariser_says_nothing_about_what_is_still_shown() {
    let until = Some("Now add the tests");
    let message = in_place(&InPlaceInput { until, focus: None, summary_cap: 500, templates: Templates::default() });
    assert!(
        message.contains("nothing about which messages are still shown") && message.contains("“Now add the tests”")
    );
}
