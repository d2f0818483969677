"""Our tokens of a document are those of Chromium's parser: the same attributes, the same raw texts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

from fanlight.server.html_tokens import StartTag, Text, tokens

pytestmark = pytest.mark.browser

DOCUMENTS = [
    "<p title=a/b c = 'd\"e' F=\"g'h\" i j= k>text",
    "<p a=1 a=2 b/c=3 / d><br/><p e=f/>",
    "<p a='&amp;&lt&copy;&copy=1&notit;&#65;&#x42;&bogus;&amp' b=&quot;x>",
    "<p \na\n=\n'b\nc'\n>",
    '<p "a" =b <c>',
    "<script>if (a<b) '</scripty>'</script><p a=b>",
    "<script><!-- <script> </script> --></script><p a=b>",
    "<script><!--><script></script><p a=b>",
    "<script><!-- <script> --> </script><p a=b>",
    "<script><!-- </script><p a=b>",
    "<script>'</SCRIPT\n><p a=b>",
    "<style><p a=b></style><style></style ><p c=d>",
    "<body><textarea><p a=b></textarea><p c=d>",
    "<!-- <p a=b> --><p c=d><!--><p e=f><!---><p g=h><!-- --!><p i=j><!-- -- > <p k=l> -->",
    "<!x <p a=b><?y <p c=d></ z <p e=f><p g=h>",
    "<svg a=b><title><g c=d></g></title><path e=f /><![CDATA[<g g=h>]]></svg><p i=j>",
    "<svg><foreignObject a=b><style><p c=d></style></foreignObject></svg>",
    "<template a=b><script>'<p c=d>'</script></template>",
    "a < b <3 <p a=b> c>d &lt;p e=f>",
    "<p a=b><p c='d",
]
IN_CHROMIUM = """(html) => {
    const document = new DOMParser().parseFromString(html, "text/html");
    const attributes = [], texts = [];
    (function visit(node) {
        for (const element of node.children) {
            for (const { name, value } of element.attributes) attributes.push([name.toLowerCase(), value]);
            if (["script", "style", "textarea"].includes(element.localName)) texts.push(element.textContent);
            visit(element.content ?? element);
        }
    })(document);
    return [attributes, texts];
}"""


def ours(html: str) -> list[Any]:
    attributes: list[list[str]] = []
    texts: list[str] = []
    for token in tokens(html):
        if isinstance(token, StartTag) and token.closed:
            first = {attribute.name: attribute.value for attribute in reversed(token.attributes)}
            names = dict.fromkeys(attribute.name for attribute in token.attributes)
            attributes += [[name, first[name]] for name in names]
        elif isinstance(token, Text) and token.of in ("script", "style", "textarea"):
            texts.append(html[token.start : token.end])
    return [attributes, texts]


async def test_attributes_and_raw_texts_are_those_of_a_browser(page: Page) -> None:
    for html in DOCUMENTS:
        assert ours(html) == await page.evaluate(IN_CHROMIUM, html), html
