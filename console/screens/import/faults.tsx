import { Download } from 'lucide';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { type Checked, faultText } from './to-payload.ts';

const { imports: words } = texts;
const mostShown = 20;

/** Shows the first bad rows; all of them can be downloaded. */
export function Faults({ bad }: { bad: readonly Checked[] }) {
  return (
    <section class="stack">
      <p class="loss">{words.bad(countText(bad.length))}</p>
      <div class="table-wrap">
        <table class="table">
          <thead>
            <tr>
              <th scope="col" class="number">
                {words.line}
              </th>
              <th scope="col">{words.fault}</th>
            </tr>
          </thead>
          <tbody>
            {bad.slice(0, mostShown).map((one) => (
              <tr key={one.row.number}>
                <td class="number">{one.row.number}</td>
                <td>{faultText(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>
        <Button icon={Download} onClick={() => download(bad)}>
          {words.downloadFaults}
        </Button>
      </div>
    </section>
  );
}

function download(bad: readonly Checked[]): void {
  const lines = bad.map((one) => `${one.row.number},${quoted(faultText(one))}`);
  const blob = new Blob([`row,error\r\n${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = 'import-errors.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A cell for CSV. A leading apostrophe keeps spreadsheets from running a text as a formula. */
function quoted(text: string): string {
  const safe = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
