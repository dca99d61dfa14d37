//! Holds the code under `src/` to its layers: each uses only itself and those below it.
//!
//! Every file is parsed; `use` items, paths in expressions, types, patterns and attributes, and the tokens of macros
//! count alike. Only `crate`, `self` and `super` lead from one layer to another, so the crate root may neither be
//! imported as a whole nor renamed. JavaScript, `async`, clocks and randomness have their own lowest layers.

#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// Highest first; what is missing here is of the lowest layer.
const ORDER: [&str; 9] = ["wasm", "session", "store", "record", "view", "summary", "plan", "transcript", "policy"];
/// One layer: these may use each other.
const LOWEST: [&str; 5] = ["tokens", "config", "time", "id", "error"];
/// Macros stand in the crate root, wherever they are written: these are the exported ones and their layers.
const MACROS: [(&str, &str); 2] = [("for_each_clause", "store"), ("for_each_session_clause", "session")];
const JAVASCRIPT: [&str; 6] =
    ["js_sys", "web_sys", "wasm_bindgen", "wasm_bindgen_futures", "gloo_storage", "serde_wasm_bindgen"];
const JAVASCRIPT_HOMES: [&str; 6] = [
    "src/wasm/",
    "src/store/indexed_db",
    "src/store/local_storage",
    "src/store/injected",
    "src/store/js",
    "src/store/sealed/js",
];
/// A hasher seeded from the system is randomness too.
const CLOCKS_AND_DICE: [&str; 5] = ["SystemTime", "Instant", "Date", "RandomState", "DefaultHasher"];
const CLOCK_AND_DICE_CRATES: [&str; 5] = ["rand", "getrandom", "fastrand", "web_time", "chrono"];

#[test]
fn the_code_uses_no_layer_above_its_own() {
    let sources = sources(Path::new("src"));
    assert!(sources.len() > 10, "src/ was not found");
    let root = &sources.iter().find(|(file, _)| file == "src/lib.rs").expect("a crate has a root").1;
    let root = Root::of(root);
    let found: Vec<_> = sources.iter().flat_map(|(file, text)| root.breaches(file, text)).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// What the crate root re-exports, by the module it comes from.
struct Root(BTreeMap<String, String>);

impl Root {
    fn of(text: &str) -> Self {
        let mut uses = Vec::new();
        for item in syn::parse_file(text).expect("lib.rs parses").items {
            if let syn::Item::Use(item) = item {
                flatten(&item.tree, &mut Vec::new(), &mut uses);
            }
        }
        let named = uses.into_iter().filter_map(|Use { path, name }| {
            let from = path.iter().map(Ident::to_string).find(|part| part != "crate" && part != "self")?;
            Some((name, from))
        });
        let macros = MACROS.map(|(name, layer)| (name.to_owned(), layer.to_owned()));
        Self(named.chain(macros).collect())
    }

    fn breaches(&self, file: &str, text: &str) -> Vec<String> {
        let mut checker = Checker::new(file, self);
        match syn::parse_file(text) {
            Ok(parsed) => checker.visit_file(&parsed),
            Err(error) => checker.found.push(format!("{file}: does not parse: {error}")),
        }
        if checker.rank.is_none() && file != "src/lib.rs" {
            checker.found.push(format!("{file}: belongs to no layer"));
        }
        checker.found
    }
}

/// One imported path and the name it is given.
struct Use {
    path: Vec<Ident>,
    name: String,
}

struct Checker<'a> {
    file: &'a str,
    root: &'a Root,
    /// Where we are, inline modules included.
    module: Vec<String>,
    /// The height of the file's layer; none for the crate root.
    rank: Option<usize>,
    found: Vec<String>,
}

impl<'a> Checker<'a> {
    fn new(file: &'a str, root: &'a Root) -> Self {
        let parts = file.trim_start_matches("src/").trim_end_matches(".rs").split('/');
        let module: Vec<_> = parts.filter(|part| !["lib", "mod"].contains(part)).map(str::to_owned).collect();
        let rank = module.first().and_then(|layer| rank(layer));
        Self { file, root, module, rank, found: Vec::new() }
    }

    fn tell(&mut self, span: Span, what: &str) {
        self.found.push(format!("{}:{}: {what}", self.file, span.start().line));
    }

    fn is_below_store(&self) -> bool {
        self.rank.is_none_or(|mine| rank("store").is_some_and(|store| mine < store))
    }

    fn path(&mut self, path: &[Ident]) {
        let Some(first) = path.first() else { return };
        let (span, names) = (first.span(), path.iter().map(Ident::to_string).collect::<Vec<_>>());
        if JAVASCRIPT.contains(&names[0].as_str()) && !JAVASCRIPT_HOMES.iter().any(|home| self.file.starts_with(home)) {
            self.tell(span, &format!("`{}` outside the JavaScript stores and the boundary", names[0]));
        }
        let dice = names.iter().any(|name| CLOCKS_AND_DICE.contains(&name.as_str()));
        if self.is_below_store() && (dice || CLOCK_AND_DICE_CRATES.contains(&names[0].as_str())) {
            self.tell(span, &format!("`{}` below store: time and randomness are arguments", names.join("::")));
        }
        if let Some(target) = self.absolute(&names) {
            self.reach(span, &names.join("::"), target.first());
        }
    }

    /// The path from the crate root, for one that starts with `crate`, `self` or `super`.
    fn absolute(&self, names: &[String]) -> Option<Vec<String>> {
        let supers = names.iter().take_while(|name| *name == "super" || *name == "self").count();
        if names[0] == "crate" {
            return Some(names[1..].to_vec());
        }
        let up = names[..supers].iter().filter(|name| *name == "super").count();
        let base = self.module.len().saturating_sub(up);
        (supers > 0).then(|| [&self.module[..base], &names[supers..]].concat())
    }

    fn reach(&mut self, span: Span, written: &str, target: Option<&String>) {
        let Some(mine) = self.rank else { return };
        let Some(target) = target else {
            return self.tell(span, &format!("`{written}` names the crate root, and with it every layer"));
        };
        let layer = self.root.0.get(target).unwrap_or(target).clone();
        match rank(&layer) {
            None => self.tell(span, &format!("`{written}`: `{layer}` belongs to no layer")),
            Some(theirs) if theirs > mine => {
                let own = self.module.first().cloned().unwrap_or_default();
                self.tell(span, &format!("`{written}` lies in {layer}, above {own}"));
            }
            Some(_) => {}
        }
    }

    fn asynchronous(&mut self, span: Span) {
        if self.is_below_store() {
            self.tell(span, "async below store");
        }
    }

    /// Macros may hold anything: every run of `a::b::c` in them is a path, `a::{b, c}` two.
    fn tokens(&mut self, tokens: TokenStream, prefix: &[Ident]) {
        let mut tokens = tokens.into_iter().peekable();
        let mut path = prefix.to_vec();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) => {
                    if ident == "async" || ident == "await" {
                        self.asynchronous(ident.span());
                    }
                    path.push(ident);
                    let joined = tokens.next_if(is_colon).and_then(|_| tokens.next_if(is_colon)).is_some();
                    match tokens.peek() {
                        Some(TokenTree::Ident(_)) if joined => continue,
                        Some(TokenTree::Group(group)) if joined => self.tokens(group.stream(), &path),
                        Some(TokenTree::Punct(star)) if joined && star.as_char() == '*' => self.path(&path),
                        _ if path.len() == 1 && is_keyword(&path[0]) => {}
                        _ => self.path(&path),
                    }
                    path = prefix.to_vec();
                }
                TokenTree::Group(group) => self.tokens(group.stream(), &[]),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut uses = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut uses);
        uses.iter().for_each(|used| self.path(&used.path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.clone()).collect();
        if names.len() > 1 || !is_keyword(&names[0]) {
            self.path(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {
        // `pub(crate)` and `pub(super)` give a path to nobody.
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone(), &[]);
    }

    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.visit_path(&list.path);
        self.tokens(list.tokens.clone(), &[]);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.attrs.iter().any(|attribute| attribute.path().is_ident("path")) {
            self.tell(module.ident.span(), "#[path] hides which layer a file belongs to");
        }
        self.module.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.module.pop();
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        if item.ident == "self" {
            self.tell(item.ident.span(), "`extern crate self` names the crate root, and with it every layer");
        }
        self.path(std::slice::from_ref(&item.ident));
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        if signature.asyncness.is_some() {
            self.asynchronous(signature.ident.span());
        }
        visit::visit_signature(self, signature);
    }

    fn visit_expr_async(&mut self, expr: &'ast syn::ExprAsync) {
        self.asynchronous(expr.async_token.span);
        visit::visit_expr_async(self, expr);
    }

    fn visit_expr_await(&mut self, expr: &'ast syn::ExprAwait) {
        self.asynchronous(expr.await_token.span);
        visit::visit_expr_await(self, expr);
    }

    fn visit_expr_closure(&mut self, expr: &'ast syn::ExprClosure) {
        if let Some(asyncness) = &expr.asyncness {
            self.asynchronous(asyncness.span);
        }
        visit::visit_expr_closure(self, expr);
    }
}

fn flatten(tree: &syn::UseTree, path: &mut Vec<Ident>, uses: &mut Vec<Use>) {
    let depth = path.len();
    let mut leaf = |ident: Option<&Ident>, name: String, path: &mut Vec<Ident>| {
        path.extend(ident.filter(|ident| *ident != "self" || depth == 0).cloned());
        uses.push(Use { path: path.clone(), name });
    };
    match tree {
        syn::UseTree::Path(part) => {
            path.push(part.ident.clone());
            flatten(&part.tree, path, uses);
        }
        syn::UseTree::Name(end) => leaf(Some(&end.ident), end.ident.to_string(), path),
        syn::UseTree::Rename(end) => leaf(Some(&end.ident), end.rename.to_string(), path),
        syn::UseTree::Glob(_) => leaf(None, "*".to_owned(), path),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, uses)),
    }
    path.truncate(depth);
}

/// The height of a layer, 0 the lowest.
fn rank(layer: &str) -> Option<usize> {
    let above = ORDER.iter().position(|name| *name == layer).map(|depth| ORDER.len() - depth);
    above.or_else(|| LOWEST.contains(&layer).then_some(0))
}

fn is_keyword(ident: &Ident) -> bool {
    ident == "crate" || ident == "super" || ident == "self"
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push((path.display().to_string(), fs::read_to_string(&path).expect("a readable source")));
        }
    }
    found
}

#[cfg(test)]
mod planted {
    use super::Root;

    const ROOT: &str =
        "pub mod store; pub mod policy; pub use session::Session; pub use crate::policy::{Guards as G, decide};";

    fn found(file: &str, text: &str) -> Vec<String> {
        Root::of(ROOT).breaches(file, text)
    }

    #[test]
    fn an_upward_use_is_found_in_every_spelling_with_its_line() {
        let upward = [
            "use crate::store::Store;",
            "use crate::{id::OpId, store};",
            "use crate::store as s;",
            "use super::store::{self, memory};",
            "pub use crate::session::Session;",
            "use crate::Session;",
            "fn f() { crate::store::open(); }",
            "fn f(x: &dyn super::store::Store) {}",
            "fn f() { <u8 as crate::store::Store>::open() }",
            "fn f() -> Vec<Option<crate::view::View>> { vec![] }",
            "fn f(x: u8) { match x { crate::plan::CUT => {} _ => {} } }",
            "fn f() { assert_eq!(1, crate::store::LIMIT); }",
            "macro_rules! m { () => { $crate::store::open() } }",
            "macro_rules! m { () => { use crate::{id, store::Store}; } }",
            "#[derive(crate::store::Derived)] struct S;",
            "#[cfg_attr(test, crate::store::attribute)] struct S;",
            "mod inner { use super::super::transcript::Index; }",
            "impl crate::session::Runner for S {}",
        ];
        for text in upward {
            let found = found("src/policy/mod.rs", &format!("\n{text}"));
            let placed = found.iter().all(|breach| breach.starts_with("src/policy/mod.rs:2: "));
            assert!(placed && !found.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_use_of_its_own_or_a_lower_layer_is_allowed_in_every_spelling() {
        let allowed = "
            use crate::{id::OpId, policy::decide, plan::{self, Plan}, time::*, G};
            pub(in super::super) fn visible() {}
            use super::summary; use super::super::tokens::Tokens; use self::inner::X;
            pub(crate) mod inner { use super::*; pub(in crate::view) fn f() { crate::config::DEFAULT; super::g() } }
            fn store() { let store = 1; assert!(store > crate::id::ZERO, \"crate::store::x\"); self::inner::f() }";
        assert_eq!(found("src/view/cut.rs", allowed), [""; 0]);
        assert_eq!(found("src/lib.rs", "pub use session::Session; mod wasm; use crate::store::Store;"), [""; 0]);
    }

    #[test]
    fn neighbouring_layers_are_ordered_as_the_design_prints_them() {
        let order = ["wasm", "session", "store", "record", "view", "summary", "plan", "transcript", "policy", "time"];
        for pair in order.windows(2) {
            let (upper, lower) = (pair[0], pair[1]);
            let up = found(&format!("src/{lower}/mod.rs"), &format!("use crate::{upper}::X;"));
            assert_eq!(up, [format!("src/{lower}/mod.rs:1: `crate::{upper}::X` lies in {upper}, above {lower}")]);
            assert_eq!(found(&format!("src/{upper}/mod.rs"), &format!("use crate::{lower}::X;")), [""; 0]);
        }
    }

    #[test]
    fn the_crate_root_as_a_whole_cannot_be_had() {
        let whole = [
            "use crate::*;",
            "use crate as c;",
            "use super::*;",
            "use crate::{self as c};",
            "extern crate self as c;",
            "mod inner { use super::super::{self as c}; }",
        ];
        for text in whole {
            let found = found("src/plan/mod.rs", text);
            assert!(found.len() == 1 && found[0].contains("names the crate root"), "{text}: {found:?}");
        }
        assert_eq!(found("src/plan/cut.rs", "use super::*;"), [""; 0]);
        assert!(found("src/plan/mod.rs", "use crate::prelude::X;")[0].contains("`prelude` belongs to no layer"));
        assert!(found("src/extra.rs", "")[0].contains("belongs to no layer"));
        assert!(found("src/plan/mod.rs", "#[path = \"../store/mod.rs\"] mod cut;")[0].contains("#[path]"));
    }

    #[test]
    fn javascript_is_had_only_in_its_stores_and_at_the_boundary() {
        for text in [
            "use js_sys::Array;",
            "fn f(x: ::web_sys::Storage) {}",
            "#[wasm_bindgen] fn f() {}",
            "fn f() { dbg!(gloo_storage::x()) }",
        ] {
            for home in
                ["src/wasm/mod.rs", "src/store/indexed_db/tx.rs", "src/store/local_storage.rs", "src/store/js.rs"]
            {
                assert_eq!(found(home, text), [""; 0], "{text}");
            }
            for other in ["src/session/mod.rs", "src/store/memory.rs", "src/policy/mod.rs", "src/lib.rs"] {
                assert_eq!(found(other, text).len(), 1, "{text}");
            }
        }
    }

    #[test]
    fn async_starts_at_store() {
        let waits = [
            "async fn f() {}",
            "fn f() { async {}; }",
            "fn f() { x.await; }",
            "fn f() { async || 1; }",
            "trait T { async fn f(); }",
            "fn f() { m!(x.await) }",
        ];
        for text in waits {
            assert_eq!(found("src/record/mod.rs", text), ["src/record/mod.rs:1: async below store"], "{text}");
            assert_eq!(found("src/store/memory.rs", text), [""; 0]);
            assert_eq!(found("src/session/mod.rs", text), [""; 0]);
        }
    }

    #[test]
    fn clocks_and_randomness_start_at_store() {
        let reads = [
            "use std::time::{Duration, SystemTime};",
            "fn f() { std::time::Instant::now(); }",
            "use rand::Rng;",
            "fn f() { m!(Date::now()) }",
            "use std::hash::RandomState;",
        ];
        for text in reads {
            assert_eq!(found("src/policy/mod.rs", text).len(), 1, "{text}");
            assert_eq!(found("src/time.rs", text).len(), 1, "{text}");
            assert_eq!(found("src/session/mod.rs", text), [""; 0]);
        }
        assert_eq!(found("src/policy/mod.rs", "use std::time::Duration;"), [""; 0]);
    }
}
