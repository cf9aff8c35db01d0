import { texts } from '../../texts.ts';
import type { ChartShape } from './chart.tsx';
import type { Moment } from './moments.ts';

const { metrics: words } = texts;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
/** Most moments in the table: the newest ones. */
const mostRows = 60;

/** The values of the charts as a table. */
export function Figures({ shapes, moments }: { shapes: readonly ChartShape[]; moments: readonly Moment[] }) {
  const columns = shapes.flatMap(({ title, lines, show }) =>
    lines.map(({ of, text }) => ({ of, head: lines.length > 1 ? `${title}: ${text}` : title, show })),
  );
  return (
    <details>
      <summary>{words.table}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section class="table-wrap" aria-label={words.table} tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.at}</th>
              {columns.map(({ of, head }) => (
                <th key={of} scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {moments
              .slice(-mostRows)
              .toReversed()
              .map((moment) => (
                <tr key={moment.at}>
                  <th scope="row">{clock.format(moment.at)}</th>
                  {columns.map(({ of, show }) => {
                    const value = moment[of];
                    return (
                      <td key={of} class="number">
                        {value === null ? '–' : show(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
