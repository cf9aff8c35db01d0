/** Sends bodies by the `fetch` of the runtime that runs it, and prints what came: `upload.ts <url> <bytes> <times> <token>`. */
const [url = '', bytes = '', times = '', token = ''] = process.argv.slice(2);
const body = Buffer.alloc(Number(bytes), 'x');
const headers: Record<string, string> = { 'content-type': 'application/json' };
if (token !== '') headers.authorization = `Bearer ${token}`;

for (let turn = 0; turn < Number(times); turn++) {
  try {
    const response = await fetch(url, { method: 'POST', headers, body });
    const { ok } = (await response.json()) as { ok: boolean };
    console.log(`${response.status} ${ok}`);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    console.log(`failed: ${error} ${cause}`);
  }
}
