// How <fanlight-view> looks. One sheet for all elements of the page, there before the first is drawn; a
// sheet made here needs no request and no permission of the page's policy.
//
// Colours: --fanlight-* of the page, else the standard variables if the page defines them, else our own.

export const sheet = new CSSStyleSheet();

sheet.replaceSync(`
:host { display: block; }
/* Not on the host: there a page may set its own properties from names of its own that look like ours. */
.box, .place {
  --surface: var(--fanlight-surface, var(--color-background-primary, light-dark(#fff, #1b1e24)));
  --bar: var(--fanlight-bar, var(--color-background-secondary, light-dark(#f5f6f8, #23272f)));
  --text: var(--fanlight-text, var(--color-text-primary, light-dark(#1d2129, #e9ebef)));
  --soft: var(--fanlight-text-soft, var(--color-text-secondary, light-dark(#4a5160, #b4bac6)));
  --line: var(--fanlight-border, var(--color-border-primary, light-dark(#d8dce3, #3a404b)));
  --accent: var(--fanlight-accent, var(--color-ring-primary, light-dark(#0b62c4, #6fb1ff)));
  --radius: var(--fanlight-radius, 10px);
  color: var(--text);
  font: 14px/1.45 var(--fanlight-font, system-ui, sans-serif);
  text-align: start;
}
:host([hidden]) { display: none; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }

/* The box is a dialog, so that the browser itself can put it above everything without moving the frame. */
.box {
  display: flex; flex-direction: column; position: static; inset: auto; margin: 0; padding: 0;
  width: auto; height: auto; max-width: none; max-height: none; overflow: hidden;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface);
}
.box::backdrop { background: none; }
.box:focus { outline: none; }

.head {
  display: flex; align-items: center; gap: 8px; flex: none; min-height: 34px; padding-block: 2px; padding-inline: 10px 4px;
  border-bottom: 1px solid var(--line); background: var(--bar); color: var(--soft); font-size: 13px;
  user-select: none;
}
.mark { display: grid; flex: none; }
.name { display: flex; flex: 1; gap: 6px; min-width: 0; align-items: baseline; line-height: 1.3; padding-top: 1px; }
.name > * { min-width: 1.5em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.app { flex: 0 1 auto; color: var(--text); font-weight: 600; }
.server { flex: 0 20 auto; }
.controls { display: flex; flex: none; gap: 2px; }
svg { display: block; width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.5; }
button { font: inherit; color: inherit; cursor: pointer; }
.control {
  display: grid; place-items: center; width: 28px; height: 28px; padding: 0; border: 1px solid transparent;
  border-radius: 6px; background: none;
}
.control:focus-visible { outline-offset: -2px; }
.control:hover { background: color-mix(in srgb, currentColor 12%, transparent); color: var(--text); }
.button {
  min-height: 32px; padding: 4px 14px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--surface); color: var(--text); font-weight: 500;
}
.button:hover { border-color: currentColor; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
@media (pointer: coarse) { .control { width: 40px; height: 40px; } }

.stage { position: relative; flex: none; height: var(--height); overflow: hidden; }
iframe { display: block; width: var(--width, 100%); max-width: 100%; height: var(--height); border: 0; }
.moving iframe { pointer-events: none; }

/* Nothing of a view is seen before it is there. It has its room already, so that it can measure itself. */
.box[data-state="loading"]:not([data-known]) .stage { height: 160px; }
.box[data-state="loading"] iframe { opacity: 0; }
.box[data-state="failed"] .stage { display: none; }
.skeleton {
  position: absolute; inset: 0; overflow: hidden; padding: 18px;
  background:
    linear-gradient(var(--tone) 0 0) 18px 20px / 38% 14px no-repeat,
    linear-gradient(var(--tone) 0 0) 18px 46px / calc(100% - 36px) 10px no-repeat,
    linear-gradient(var(--tone) 0 0) 18px 66px / calc(82% - 36px) 10px no-repeat,
    linear-gradient(var(--tone) 0 0) 18px 96px / calc(100% - 36px) calc(100% - 114px) no-repeat;
  --tone: color-mix(in srgb, var(--text) 8%, transparent);
}
.box:not([data-state="loading"]) .skeleton { display: none; }

.notice { padding: 14px 16px 16px; }
.notice > * { margin: 0; overflow-wrap: anywhere; }
.notice .what { font-weight: 600; }
.notice .remedy { margin-top: 4px; color: var(--soft); }
.notice .text {
  margin-top: 12px; padding: 10px 12px; border-radius: 8px; max-height: 320px; overflow: auto;
  background: var(--bar); font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap;
}
.notice .button { margin-top: 12px; }
.lost {
  display: flex; gap: 8px; align-items: center; flex: none; padding: 6px 12px; border-bottom: 1px solid var(--line);
  background: var(--bar); color: var(--soft); font-size: 13px;
}

/* prefersBorder: false. The name stays: nobody should take a server's content for the page's own. */
.box[data-border="false"][data-mode="inline"] { border-color: transparent; border-radius: 0; background: none; }
.box[data-border="false"][data-mode="inline"] .head { border-color: transparent; background: none; padding-inline: 2px; }

/* The page draws border and name itself; only controls are left, if there are any. */
:host([bare]) .box[data-mode="inline"] { border: 0; border-radius: 0; background: none; }
:host([bare]) .place { border: 0; border-radius: 0; }
:host([bare]) .box[data-mode="inline"] :is(.mark, .name) { display: none; }
:host([bare]) .box[data-mode="inline"] .head { justify-content: end; padding-inline: 4px; }
:host([bare]) .box[data-mode="inline"] .head:not(:has(.control:not([hidden]))) { display: none; }

.box[data-mode="fullscreen"] {
  position: fixed; inset: 0; width: 100%; height: 100%; border: 0; border-radius: 0;
}
.box[data-mode="fullscreen"] .head {
  min-height: 44px;
  padding: max(2px, env(safe-area-inset-top)) max(6px, env(safe-area-inset-right)) 2px max(14px, env(safe-area-inset-left));
}
.box[data-mode="pip"] {
  position: fixed; inset: auto; left: var(--x); top: var(--y);
  width: min(400px, 100vw - 16px); height: min(300px, 100vh - 16px);
  border-radius: 12px; box-shadow: 0 10px 40px rgb(0 0 0 / 30%);
}
.box[data-mode="pip"] .head { cursor: grab; touch-action: none; }
.box.moving .head { cursor: grabbing; }
:is(.box[data-mode="fullscreen"], .box[data-mode="pip"]) .stage { flex: 1; height: auto; min-height: 0; }
:is(.box[data-mode="fullscreen"], .box[data-mode="pip"]) iframe { width: 100%; height: 100%; }

.place {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: center; gap: 8px 16px; padding: 14px 16px;
  border: 1px dashed var(--line); border-radius: var(--radius); color: var(--soft); text-align: center;
}
.place:empty { padding: 0; border-color: transparent; }
.quiet {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.probe {
  position: fixed; visibility: hidden; pointer-events: none; width: 0; height: 0;
  padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
  color: light-dark(#fff, #000);
}

@media (prefers-reduced-motion: no-preference) {
  .skeleton::after {
    content: ""; position: absolute; inset: 0; transform: translateX(-100%);
    /* Not at once: a view that comes soon needs the processor more than its place does. */
    animation: pass 1.6s 0.6s ease-in-out infinite;
    background: linear-gradient(100deg, transparent 35%, color-mix(in srgb, var(--surface) 70%, transparent) 50%, transparent 65%);
  }
  .box[data-mode="fullscreen"], .box[data-mode="pip"] { animation: appear 160ms ease-out; }
}
@keyframes pass { from { transform: translateX(-100%); } to { transform: translateX(100%); } }
@keyframes appear { from { opacity: 0; transform: translateY(8px); } }
@media (forced-colors: active) {
  .control, .button { border-color: ButtonText; }
  .skeleton { background: none; }
  .skeleton::after { display: none; }
}
`);
