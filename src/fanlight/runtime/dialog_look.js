// How the dialog looks. A sheet made here needs no request and no permission of the page's policy.

export const dialogSheet = new CSSStyleSheet();

dialogSheet.replaceSync(`
dialog {
  box-sizing: border-box; width: min(480px, calc(100vw - 32px)); max-height: calc(100dvh - 32px); margin: auto; padding: 20px 22px;
  flex-direction: column; gap: 14px; overflow: auto; overscroll-behavior: contain;
  border: 1px solid light-dark(#c9ced8, #454b57); border-radius: 14px;
  background: light-dark(#ffffff, #20242b); color: light-dark(#1d2129, #e8eaee);
  font: 15px/1.5 system-ui, sans-serif; text-align: start; box-shadow: 0 12px 40px rgb(0 0 0 / 30%);
}
dialog[open] { display: flex; }
dialog::backdrop { background: rgb(0 0 0 / 45%); }
h2 { margin: 0; font-size: 18px; line-height: 1.35; font-weight: 650; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 14px; margin: 0; }
dt { color: light-dark(#5b6472, #a3abb8); }
dd { margin: 0; font-weight: 550; overflow-wrap: anywhere; unicode-bidi: isolate; max-height: 6em; overflow: auto; }
.why { margin: 0; overflow-wrap: anywhere; }
pre {
  margin: 0; padding: 10px 12px; min-height: 3.4em; max-height: min(220px, 30dvh); overflow: auto; border-radius: 8px;
  background: light-dark(#f2f4f7, #15181d); border: 1px solid light-dark(#e1e5eb, #333943);
  font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext;
}
dialog > :not(pre) { flex: none; }
ul { margin: 0; padding-inline-start: 20px; }
a { color: light-dark(#0b57d0, #a8c7fa); overflow-wrap: anywhere; }
label { display: flex; gap: 10px; align-items: baseline; cursor: pointer; overflow-wrap: anywhere; }
label span { min-width: 0; }
input { accent-color: light-dark(#0b57d0, #a8c7fa); flex: none; }
.status { margin: 0; display: flex; flex-wrap: wrap; gap: 2px 10px; font-size: 13px; color: light-dark(#5b6472, #a3abb8); }
.buttons { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 10px; }
button {
  font: inherit; font-weight: 600; white-space: nowrap; padding: 8px 18px; min-height: 40px; border-radius: 9px; cursor: pointer;
  border: 1px solid light-dark(#bcc3cf, #565e6b); background: light-dark(#ffffff, #2b3038); color: inherit;
}
button.yes { border-color: transparent; background: light-dark(#0b57d0, #a8c7fa); color: light-dark(#ffffff, #062e6f); }
button[aria-disabled] { opacity: 0.55; cursor: default; }
:is(button, a, input, pre):focus-visible { outline: 3px solid light-dark(#0b57d0, #a8c7fa); outline-offset: 2px; }
button[hidden] { display: none; }
@media (max-width: 420px) { dialog { padding: 16px; } .buttons button { flex: 1; } }
@media (forced-colors: active) { dialog { border: 2px solid; } }
`);
