/** The stylesheet of the page, in the colours of the console. */
export const docsStyle = `
:root {
  color-scheme: light dark;
  --surface: light-dark(#ffffff, #15171c);
  --sunken: light-dark(#f6f6f8, #0f1115);
  --line: light-dark(#e2e2e9, #2c303a);
  --line-strong: light-dark(#8b8d9b, #6b7080);
  --text: light-dark(#1b1c22, #e8e9ee);
  --quiet: light-dark(#5c5e6b, #a4a8b5);
  --accent: light-dark(#4353d6, #9aa7ff);
  --on-accent: light-dark(#ffffff, #12142a);
  --bad: light-dark(#b3261e, #ff9a92);
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --mono: ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, monospace;
}
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 72px; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--surface); color: var(--text); font: 15px/1.6 var(--font); font-variant-numeric: tabular-nums; }
a { color: var(--accent); text-decoration: none; }
a:hover, p a, dd a { text-decoration: underline; text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 16px; z-index: 3; background: var(--surface); padding: 8px; }

header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; min-height: 56px; padding: 8px 32px; background: var(--surface); border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 16px; font-weight: 400; letter-spacing: -0.01em; color: var(--quiet); }
h1 strong { color: var(--text); font-weight: 600; }
.search { flex: 1 1 160px; max-width: 320px; }
.token { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-left: auto; }
.token output { color: var(--quiet); font-size: 13px; }
.token output.bad { color: var(--bad); }
input, textarea { width: 100%; padding: 5px 10px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--surface); color: inherit; font: inherit; font-size: 14px; }
.token input { width: 160px; }
button { padding: 5px 14px; border: 1px solid var(--line-strong); border-radius: 6px; background: none; color: inherit; font: inherit; font-size: 14px; cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }

.columns { display: grid; grid-template-columns: 232px minmax(0, 1fr); max-width: 1240px; margin: 0 auto; }
nav { position: sticky; top: 57px; align-self: start; max-height: calc(100vh - 57px); overflow-y: auto; padding: 32px 16px 48px 32px; font-size: 14px; line-height: 1.5; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav > ul > li { margin-bottom: 16px; }
nav > ul > li > a { color: var(--text); font-weight: 600; }
nav ul ul { margin-top: 4px; border-left: 1px solid var(--line); }
nav ul ul a { display: block; padding: 2px 0 2px 12px; margin-left: -1px; border-left: 1px solid transparent; color: var(--quiet); overflow-wrap: anywhere; }
nav ul ul a:hover { color: var(--accent); border-color: var(--accent); text-decoration: none; }
main { min-width: 0; padding: 32px 32px 128px; }

h2 { margin: 0 0 16px; font-size: 26px; line-height: 1.25; font-weight: 600; letter-spacing: -0.02em; }
h2 code { margin-left: 6px; font-size: 15px; font-weight: 400; color: var(--quiet); background: none; padding: 0; letter-spacing: 0; }
h3 { margin: 0 0 4px; font-size: 15px; line-height: 1.5; font-weight: 500; }
section + section { margin-top: 72px; padding-top: 40px; border-top: 1px solid var(--line); }
.operation { margin-top: 40px; }
.operation > * { max-width: 860px; }
p { margin: 0 0 12px; }
.summary { font-size: 15px; }
.who, .about, .quiet td, .answers, caption { color: var(--quiet); }
.empty { padding: 16px; background: var(--sunken); border-radius: 8px; }
dl { display: grid; grid-template-columns: 96px minmax(0, 1fr); gap: 10px 16px; max-width: 860px; margin: 20px 0 0; }
dt { font-weight: 600; }
dd { margin: 0; }
code, pre, textarea, .send input { font-family: var(--mono); font-size: 13px; }
code { padding: 1px 4px; border-radius: 4px; background: var(--sunken); overflow-wrap: anywhere; }
pre { margin: 0; padding: 14px 16px; overflow-x: auto; border-radius: 8px; background: var(--sunken); line-height: 1.55; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.verb { display: inline-block; min-width: 56px; margin-right: 4px; font: 600 12px/1.5 var(--mono); letter-spacing: 0.04em; color: var(--accent); }
.verb.delete { color: var(--bad); }
code.path { background: none; padding: 0; font-size: 14px; }
.anchor { visibility: hidden; color: var(--quiet); }
h3:hover .anchor, .anchor:focus { visibility: visible; }

table { width: 100%; margin: 16px 0; border-collapse: collapse; font-size: 14px; }
caption { padding-bottom: 4px; text-align: left; font-size: 12px; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase; }
th { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line-strong); text-align: left; font-weight: 500; color: var(--quiet); }
td { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word; }
th:nth-child(1) { width: 24%; }
th:nth-child(2) { width: 32%; }
.fields { max-width: 860px; }
small { color: var(--quiet); font-size: 12px; }
.answers { font-size: 13px; }
.status { background: none; padding: 0 2px; }
.status.s2 { color: var(--text); font-weight: 600; }

.examples { display: flex; flex-wrap: wrap; gap: 0 16px; margin-top: 16px; }
.examples details { display: contents; }
.examples summary { order: 0; padding: 2px 0 6px; border-bottom: 2px solid transparent; list-style: none; cursor: pointer; font-size: 14px; color: var(--quiet); }
.examples summary::-webkit-details-marker { display: none; }
.examples details[open] > summary { color: var(--text); border-color: var(--accent); }
.examples details::details-content { order: 1; flex: 0 0 100%; min-width: 0; }
.examples pre { order: 1; flex: 0 0 100%; min-width: 0; margin-top: 8px; }

.send { margin-top: 12px; }
.send label { display: flex; gap: 12px; align-items: baseline; margin-bottom: 8px; font-size: 13px; color: var(--quiet); }
.send label input, .send label textarea { flex: 1; color: var(--text); }
.send output { display: block; margin-top: 12px; }
.send output p { margin: 0 0 6px; font-size: 13px; color: var(--quiet); }
.send output p.bad { color: var(--bad); }
.send output pre { max-height: 420px; overflow: auto; }

@media (max-width: 860px) {
  header { position: static; padding: 12px 20px; }
  .search { max-width: none; flex-basis: 100%; order: 3; }
  .token { margin-left: 0; }
  .columns { display: block; }
  nav { position: static; max-height: none; padding: 20px 20px 0; }
  nav > ul { display: flex; flex-wrap: wrap; gap: 4px 16px; }
  nav > ul > li { margin: 0; }
  nav ul ul { display: none; }
  main { padding: 24px 20px 96px; }
  dl { grid-template-columns: 1fr; gap: 2px; }
  dd { margin-bottom: 12px; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
  td, td:first-child { padding: 0; border: 0; white-space: normal; }
}
@media print {
  header, nav, .send, .anchor { display: none !important; }
  .columns { display: block; max-width: none; }
  main { padding: 0; }
  .operation, tr { break-inside: avoid; }
  .examples details:not(:first-child) { display: none; }
}
`;
