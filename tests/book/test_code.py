"""Source code on the pages wraps at 72 columns; what is copied is what was written."""

import sys

import pytest
from book_browser import PHONE, opened

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import minibert_code

SOURCE = '.cell_input div[class*="highlight-"] pre'
# Lines of source code that are wider than 72 columns, or than their block.
TOO_WIDE = """() => [...document.querySelectorAll(".cell_input pre")].filter(pre => pre.clientWidth).flatMap(pre => {
    const probe = document.createElement("span");
    probe.textContent = "0".repeat(72);
    probe.style = "display: inline-block; white-space: pre";
    pre.append(probe);
    const columns = probe.getBoundingClientRect().width;
    probe.remove();
    const wide = [...pre.querySelectorAll(".line")].filter(line => line.getBoundingClientRect().width > columns + 1);
    return [...wide.map(line => line.textContent), ...(pre.scrollWidth > pre.clientWidth + 1 ? [pre.textContent.slice(0, 80)] : [])];
})"""


def test_a_long_line_is_an_element_with_its_indent():
    code = (
        '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>short = 1\n'
        '    <span class="n">value</span> <span class="o">=</span> some_function(with_many, arguments)   <span class="c1"># [B, S]</span>\n</pre></div></div>'
    )
    assert minibert_code.BLOCK.sub(minibert_code.wrapped, code) == code.replace(
        '    <span class="n">', '<span class="line" style="--indent: 4">    <span class="n">'
    ).replace(
        '<span class="c1"># [B, S]</span>\n', '<span class="c1 whole"># [B, S]</span>\n</span>'
    )


def test_a_comment_stays_in_one_piece():
    comment = "# the share of all chosen positions that keep their token"
    after = minibert_code.element(f'keep = draw() <span class="c1">{comment}</span>\n')
    assert f'<span class="c1 whole">{comment}</span>' in after and 'class="line"' in after
    alone = minibert_code.element(f'    <span class="c1">{comment}</span>\n')
    assert 'class="line remark" style="--indent: 4"' in alone and "whole" not in alone


@pytest.mark.parametrize("kind", ["none", "myst-ansi", "ipythontb"])
def test_output_is_left_as_it_is(kind):
    output = f'<div class="highlight-{kind} notranslate"><div class="highlight"><pre>{"a " * 60}\n</pre></div></div>'
    assert minibert_code.BLOCK.sub(minibert_code.wrapped, output) == output


@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE], ids=["wide", "phone"])
def test_source_code_never_scrolls_sideways(browser, address, viewport):
    tab, wrong = opened(browser, f"{address}notebooks/08_pretraining.html", viewport=viewport)
    tab.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert tab.locator(f"{SOURCE} .line").count() > 100
    assert tab.evaluate(TOO_WIDE) == [] and wrong == []
    tab.context.close()


def test_a_wrapped_line_is_copied_as_one(browser, address):
    tab, _ = opened(browser, f"{address}notebooks/06_bert.html")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    cell = tab.locator(".cell_input", has_text='startswith("cls.") or').first
    cell.hover()
    cell.locator("button.copybtn").click()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == cell.locator("pre").evaluate("pre => pre.textContent").strip()
    assert cell.locator(".line").count() >= 1, "no line of this cell is wrapped any more"
    assert '"position_ids"):\n            continue                        # output' in copied
    tab.context.close()
