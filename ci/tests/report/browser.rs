//! Headless Chromium over its debugging protocol, as far as the tests of the page need it.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// How long an answer may take: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where Chromium is, if it is.
pub fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// A browser with one page. It ends with this value.
pub struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    next: u64,
    /// Everything that the page reported, in order.
    pub events: Vec<(String, Value)>,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts a browser.
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new(chromium().expect("Chromium"))
            // Its own sandbox does not work for root, as in containers; the page is our own.
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"])
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = lines
            .find_map(|line| Some(line.ok()?.strip_prefix("DevTools listening on ")?.to_owned()))
            .expect("the address of the debugging port");
        // The pipe must be read on, or the browser stops when it is full.
        std::thread::spawn(move || lines.for_each(drop));
        let address = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(url.as_str(), stream).unwrap();
        let mut browser = Browser {
            process,
            socket,
            session: String::new(),
            next: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = target["targetId"].as_str().unwrap().to_owned();
        let session = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = Value::String(self.session.clone());
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.read(until, method);
            if answer["id"] == json!(id) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    fn read(&mut self, until: Instant, what: &str) -> Value {
        assert!(Instant::now() < until, "no answer to {what}");
        let message = self.socket.read().unwrap_or_else(|error| panic!("{what}: {error}"));
        let value: Value = serde_json::from_str(message.to_text().unwrap_or("null")).unwrap_or_default();
        if let Some(method) = value["method"].as_str() {
            self.events.push((method.to_owned(), value["params"].clone()));
        }
        value
    }

    /// Loads a file and waits until it has loaded.
    pub fn open(&mut self, file: &Path) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        let until = Instant::now() + PATIENCE;
        while !self.events.iter().any(|(method, _)| method == "Page.loadEventFired") {
            self.read(until, "load");
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Clicks with the mouse in the middle of the element.
    pub fn click(&mut self, selector: &str) {
        let at = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); \
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            self.call(
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 }),
            );
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "ArrowLeft" => (37, None),
            "ArrowRight" => (39, None),
            "Home" => (36, None),
            "End" => (35, None),
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            _ => panic!("a key without its code: {key}"),
        };
        let mut down = json!({ "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code });
        if let Some(text) = text {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Sets the width of the window in CSS pixels, and the colours that the reader prefers.
    pub fn look(&mut self, width: u32, colours: &str) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500 }),
        );
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": colours }] }),
        );
    }

    /// A picture of the element with this selector, as a PNG in Base64.
    pub fn picture(&mut self, selector: &str) -> String {
        let r = self.eval(&format!(
            "(() => {{ const r = document.querySelector({selector:?}).getBoundingClientRect(); \
             return {{ x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height, scale: 1 }}; }})()"
        ));
        let shot = self.call("Page.captureScreenshot", json!({ "clip": r, "captureBeyondViewport": true }));
        shot["data"].as_str().unwrap_or_default().to_owned()
    }

    /// What the page complained of: exceptions, errors and warnings on the console, refusals of its own policy.
    pub fn complaints(&self) -> Vec<String> {
        let bad = |(method, params): &&(String, Value)| match method.as_str() {
            "Runtime.exceptionThrown" | "Log.entryAdded" => true,
            "Runtime.consoleAPICalled" => params["type"] != "log",
            _ => false,
        };
        self.events.iter().filter(bad).map(|(method, params)| format!("{method} {params}")).collect()
    }

    /// All addresses that the page asked for.
    pub fn requests(&self) -> Vec<String> {
        let asked = |(method, params): &(String, Value)| {
            let url = params["request"]["url"].as_str()?;
            (method == "Network.requestWillBeSent").then(|| url.to_owned())
        };
        self.events.iter().filter_map(asked).collect()
    }
}
