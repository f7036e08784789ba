//! The report's page in headless Chromium: it loads nothing, complains of nothing, and its replay works.
//!
//! Where Chromium is missing the tests are listed as ignored; `tests/report/install-chromium` installs it from Debian.
//! Pictures of the page are left in `target/tmp/report`, to be looked at.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::assigning_clones,
    clippy::needless_pass_by_value,
    clippy::string_slice,
    clippy::type_complexity,
    reason = "a test fails by panicking"
)]

#[path = "report/browser.rs"]
mod browser;
#[path = "report/recorded.rs"]
mod recorded;

use base64::Engine as _;
use browser::Browser;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn main() {
    let arguments = Arguments::from_args();
    let absent = browser::chromium().is_none();
    if absent {
        eprintln!(
            "Chromium is not installed: its tests are ignored (tests/report/install-chromium installs it)"
        );
    }
    let tests: [(&str, fn(&mut Browser)); 11] = [
        ("the_page_complains_of_nothing_and_asks_for_nothing", asks_for_nothing),
        ("the_replay_goes_forward_and_back_by_click", replay_by_click),
        ("the_replay_goes_forward_and_back_by_keyboard", replay_by_keyboard),
        ("each_control_can_be_reached_by_tab", reached_by_tab),
        ("without_scripts_every_position_is_shown", without_scripts),
        ("nothing_is_wider_than_a_narrow_window", narrow),
        ("text_is_legible_in_light_and_dark", legible),
        ("headings_links_and_pictures_are_in_order", in_order),
        ("hostile_text_does_nothing", hostile),
        ("it_can_be_printed", printed),
        ("pictures_are_left_to_look_at", pictures),
    ];
    // One test a browser and one browser a time: they are large.
    let trials = tests
        .map(|(name, test)| {
            let run = move || -> Result<(), Failed> {
                test(&mut Browser::start());
                Ok(())
            };
            Trial::test(name, run).with_kind("chromium").with_ignored_flag(absent)
        })
        .into_iter()
        .collect();
    libtest_mimic::run(&Arguments { test_threads: Some(1), ..arguments }, trials).exit();
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes the recorded audit's report and opens it.
fn open(browser: &mut Browser, name: &str) {
    let out = folder(name);
    audit::report::write(&recorded::audit(), &recorded::root(), &out).unwrap();
    browser.open(&out.join("report.html"));
}

/// The number of the position that is shown, if it is exactly one.
fn shown(browser: &mut Browser) -> Value {
    browser.eval(
        "(() => { const all = [...document.querySelectorAll('.position')].filter(e => e.getClientRects().length > 0); \
         return all.length === 1 ? all[0].id : all.length; })()",
    )
}

fn asks_for_nothing(browser: &mut Browser) {
    open(browser, "quiet");
    browser.click("[data-go=last]");
    browser.eval("document.querySelectorAll('details').forEach(d => d.open = true)");
    browser.eval("new Promise(done => setTimeout(done, 300))");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let requests = browser.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert!(requests[0].starts_with("file://") && requests[0].ends_with("report.html"));
}

fn replay_by_click(browser: &mut Browser) {
    open(browser, "click");
    browser.look(1000, "light");
    assert_eq!(shown(browser), "move-0");
    let steps = [
        ("[data-go=forward]", "move-1"),
        ("[data-go=forward]", "move-2"),
        ("[data-go=back]", "move-1"),
        ("[data-go=last]", "move-25"),
        ("[data-go=forward]", "move-25"),
        ("[data-go=back]", "move-24"),
        ("[data-move='7']", "move-7"),
        ("[data-go=first]", "move-0"),
        ("[data-go=back]", "move-0"),
    ];
    for (button, position) in steps {
        browser.click(button);
        assert_eq!(shown(browser), position, "after a click on {button}");
    }
    let disabled =
        browser.eval("[...document.querySelectorAll('[aria-disabled=true]')].map(b => b.dataset.go)");
    assert_eq!(disabled, json!(["first", "back"]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

fn replay_by_keyboard(browser: &mut Browser) {
    open(browser, "keyboard");
    browser.eval("document.querySelector('#replay').focus()");
    let steps = [
        ("ArrowRight", "move-1"),
        ("ArrowRight", "move-2"),
        ("ArrowLeft", "move-1"),
        ("End", "move-25"),
        ("ArrowRight", "move-25"),
        ("Home", "move-0"),
    ];
    for (key, position) in steps {
        browser.press(key);
        assert_eq!(shown(browser), position, "after {key}");
    }
    // The slider has keys of its own, the buttons the usual ones.
    browser.eval("document.querySelector('#replay input').focus()");
    browser.press("ArrowRight");
    assert_eq!(shown(browser), "move-1");
    browser.eval("document.querySelector('[data-go=forward]').focus()");
    browser.press("Enter");
    assert_eq!(shown(browser), "move-2");
    // Keys elsewhere on the page do not move the replay.
    browser.eval("document.activeElement.blur()");
    browser.press("ArrowRight");
    assert_eq!(shown(browser), "move-2");
    let said = browser.eval("document.querySelector('.announce').textContent");
    assert!(said.as_str().unwrap().starts_with("Move 2 of 25: White e6-f6."), "{said}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

fn reached_by_tab(browser: &mut Browser) {
    open(browser, "tab");
    browser.press("Tab");
    assert_eq!(browser.eval("document.activeElement.className"), "skip");
    let outline = browser.eval("getComputedStyle(document.activeElement).outlineStyle");
    assert_ne!(outline, "none", "the focus is shown");
    browser.press("Enter");
    assert_eq!(browser.eval("document.activeElement.id"), "main");
    let mut seen = Vec::new();
    for _ in 0..400 {
        browser.press("Tab");
        let name = browser.eval("document.activeElement.dataset.go || document.activeElement.id");
        if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
            seen.push(name.to_owned());
        }
        if seen.last().is_some_and(|name| name == "last") {
            break;
        }
    }
    assert_eq!(seen, ["replay", "first", "back", "forward", "last"]);
}

fn without_scripts(browser: &mut Browser) {
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    open(browser, "no-scripts");
    assert_eq!(shown(browser), 26);
    let controls = browser.eval("document.querySelector('.controls').getClientRects().length");
    assert_eq!(controls, 0, "buttons that do nothing are not shown");
    std::fs::write(folder("pictures").join("no-scripts.png"), png(browser, "#replay")).unwrap();
}

/// By how many pixels the page is wider than the window, and the first elements that stick out of it.
const WIDE: &str = "(() => {
    const limit = document.documentElement.clientWidth;
    const inside = e => {
        for (let p = e.parentElement; p; p = p.parentElement)
            if (getComputedStyle(p).overflowX !== 'visible' || p.tagName === 'svg') return true;
        return false;
    };
    const out = [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().right > limit + 0.5 && !inside(e));
    return [document.documentElement.scrollWidth - limit, out.map(e => e.tagName + '.' + e.className).slice(0, 5)];
})()";

fn narrow(browser: &mut Browser) {
    for width in [320, 360, 768] {
        browser.look(width, "light");
        open(browser, "narrow");
        browser.eval("document.querySelectorAll('details').forEach(d => d.open = true)");
        let wide = browser.eval(WIDE);
        assert_eq!(wide, json!([0, []]), "at {width} pixels");
    }
}

/// The lowest contrast of text outside pictures, by the formula of WCAG 2.
const CONTRAST: &str = "(() => {
    const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
    const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; }
        return [255, 255, 255, 1]; };
    let worst = [100, ''];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let n = walk.nextNode(); n; n = walk.nextNode()) {
        const e = n.parentElement;
        if (!n.data.trim() || e.closest('svg, script, .vh') || !e.getClientRects().length) continue;
        const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < worst[0]) worst = [ratio, e.tagName + '.' + e.className + ' ' + n.data.slice(0, 40)];
    }
    return worst;
})()";

fn legible(browser: &mut Browser) {
    let mut papers = Vec::new();
    for colours in ["light", "dark"] {
        browser.look(1100, colours);
        open(browser, "legible");
        let worst = browser.eval(CONTRAST);
        assert!(worst[0].as_f64().unwrap() >= 4.5, "{colours}: {worst}");
        papers.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(papers[0], papers[1]);
}

fn in_order(browser: &mut Browser) {
    open(browser, "order");
    let faults = browser.eval(
        "(() => { const out = []; let level = 0;
            for (const h of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
                const n = Number(h.tagName[1]); if (n > level + 1) out.push('heading ' + h.textContent); level = n; }
            const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
            if (new Set(ids).size !== ids.length) out.push('an id twice');
            for (const a of document.querySelectorAll('a[href]')) {
                const to = a.getAttribute('href');
                if (to[0] !== '#' || !document.getElementById(to.slice(1))) out.push('link ' + to); }
            for (const s of document.querySelectorAll('svg:not([aria-hidden])'))
                if (s.getAttribute('role') !== 'img' || !s.getAttribute('aria-label')) out.push('picture without a name');
            for (const th of document.querySelectorAll('th')) if (!th.scope) out.push('th without scope');
            for (const e of document.querySelectorAll('[aria-labelledby]'))
                if (!document.getElementById(e.getAttribute('aria-labelledby'))) out.push('label of ' + e.id);
            if (document.querySelectorAll('h1').length !== 1) out.push('not one h1');
            if (document.documentElement.lang !== 'en') out.push('no language');
            return out; })()",
    );
    assert_eq!(faults, json!([]));
}

fn hostile(browser: &mut Browser) {
    let out = folder("hostile");
    let text = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">'\"</style></pre>\u{202e}\0";
    audit::report::write(&recorded::spoiled(text), &recorded::root(), &out).unwrap();
    browser.open(&out.join("report.html"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(browser.requests().len(), 1);
    let state = browser.eval(
        "[document.title.startsWith('Audit report'), document.querySelectorAll('script').length, \
          document.querySelectorAll('style').length, document.querySelectorAll('img, iframe, link, object').length]",
    );
    assert_eq!(state, json!([true, 1, 1, 0]));
    browser.eval("document.querySelectorAll('details').forEach(d => d.open = true)");
    for width in [360, 1200] {
        browser.look(width, "light");
        assert_eq!(browser.eval(WIDE), json!([0, []]), "at {width} pixels");
    }
}

fn printed(browser: &mut Browser) {
    open(browser, "print");
    let pdf = browser.call("Page.printToPDF", json!({ "preferCSSPageSize": true }));
    let pdf = base64::engine::general_purpose::STANDARD.decode(pdf["data"].as_str().unwrap()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    std::fs::write(folder("pictures").join("report.pdf"), pdf).unwrap();
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(shown(browser), 26, "on paper all positions of the replay are shown");
}

fn png(browser: &mut Browser, selector: &str) -> Vec<u8> {
    let picture = base64::engine::general_purpose::STANDARD.decode(browser.picture(selector)).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    picture
}

fn pictures(browser: &mut Browser) {
    let out = folder("pictures");
    for (width, colours) in [(1200, "light"), (1200, "dark"), (360, "light"), (360, "dark")] {
        browser.look(width, colours);
        open(browser, "pictures");
        let name = |part: &str| out.join(format!("{width}-{colours}-{part}.png"));
        for part in ["#summary", "#statements", "#boards", "#claims", "#run"] {
            std::fs::write(name(&part[1..]), png(browser, part)).unwrap();
        }
        browser.click("[data-go=last]");
        std::fs::write(name("replay"), png(browser, "#replay")).unwrap();
    }
}
