"""The content security policy of a tab: what somebody brings in is refused, in the page and in its worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Worker

from web.tab.site import light, served

#: What somebody who could write into the page would try, and what refuses it. `FOREIGN` is another host.
TRIED = {
    "an inline script": ("script-src-elem", "add('script', { textContent: 'window.ran = true' })"),
    "a script of others": ("script-src-elem", "add('script', { src: 'FOREIGN/evil.js' })"),
    "a module of others": ("script-src-elem", "import('FOREIGN/evil.js').catch(() => {})"),
    "a handler in the page": (
        "script-src-attr",
        "add('p', { innerHTML: `<img src='/x' onerror='ran = true'>` })",
    ),
    "eval": ("script-src", "setTimeout(() => { try { eval('window.ran = true'); } catch {} })"),
    "a new function": ("script-src", "setTimeout(() => { try { Function('window.ran = true')(); } catch {} })"),
    "a text for a timer": ("script-src", "setTimeout('window.ran = true')"),
    "an inline style": ("style-src-elem", "add('style', { textContent: 'body { display: none }' })"),
    "a picture of others": ("img-src", "add('img', { src: 'FOREIGN/seen.png' })"),
    "a word to others": ("connect-src", "fetch('FOREIGN/told').catch(() => {})"),
    "a frame": ("frame-src", "add('iframe', { src: 'FOREIGN/' })"),
    "a form": ("form-action", "add('form', { action: 'FOREIGN/' }).submit()"),
    "another base": ("base-uri", "add('base', { href: 'FOREIGN/' })"),
    "a worker out of a text": ("worker-src", "try { new Worker(URL.createObjectURL(new Blob(['1']))) } catch {}"),
}
LISTEN = """() => {
  window.seen = [];
  document.addEventListener('securitypolicyviolation', (one) => seen.push(one.effectiveDirective));
  window.add = (name, of) => document.body.appendChild(Object.assign(document.createElement(name), of));
}"""
#: In the worker: what it can do, and the names of what it cannot.
IN_WORKER = """async (foreign) => {
  const refused = [];
  // Later: what a debugger runs is let through.
  const later = () => new Promise((done) => setTimeout(done));
  for (const what of [() => self.eval('1'), () => Function('1')()])
    refused.push(await later().then(what).then(() => null, (error) => error.name));
  refused.push(await import(`${foreign}/evil.js`).then(() => null, (error) => error.name));
  refused.push(await fetch(`${foreign}/told`).then(() => null, (error) => error.name));
  // An empty module: the core needs this.
  await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  return refused;
}"""


def worker_of(page: Page) -> Worker:
    """The worker of the seat."""
    for _ in range(600):
        if page.workers:
            return page.workers[0]
        page.wait_for_timeout(50)
    raise AssertionError("the page has no worker")


@pytest.mark.timeout(300)
def test_what_somebody_brings_in_is_refused(browser: Browser, tmp_path: Path) -> None:
    with served(light(tmp_path, "policy")) as site, served(tmp_path) as foreign:
        within = browser.new_context(service_workers="block")
        try:
            page = within.new_page()
            page.goto(site.address)
            worker = worker_of(page)
            page.evaluate(LISTEN)
            for what, (directive, code) in TRIED.items():
                page.evaluate(f"() => {{ {code.replace('FOREIGN', foreign.address)}; }}")
                for _ in range(2000):
                    if page.evaluate("() => seen.length"):
                        break
                    page.wait_for_timeout(20)
                assert page.evaluate("() => seen.splice(0)")[:1] == [directive], what
            assert page.evaluate("() => window.ran") is None
            assert foreign.asked == []
            assert worker.evaluate(IN_WORKER, foreign.address) == ["EvalError", "EvalError", "TypeError", "TypeError"]
            assert foreign.asked == []
        finally:
            within.close()
