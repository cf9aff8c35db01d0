export const mailStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 26rem; margin: 12vh auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
form { display: grid; gap: 0.75rem; }
form[hidden] { display: none; }
label { display: grid; gap: 0.25rem; }
input, button { font: inherit; padding: 0.5rem 0.75rem; }
output { display: block; margin-top: 1rem; }
output.bad { color: light-dark(#a40000, #ff8a80); }
`;
