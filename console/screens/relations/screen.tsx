import { Waypoints } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import { useCollections } from '../../api.ts';
import { Link } from '../../parts/link.tsx';
import { Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type Box, boxWidth, headHeight, type Line, layOut, linesOf, rowHeight } from './layout.ts';

const { relations: words } = texts;

export function RelationsScreen({ params: { project = '' } }: ScreenProps) {
  const collections = useCollections(project);
  return (
    <Page title={words.title} intro={words.intro} wide>
      <Loaded query={collections}>
        {(list) => {
          const lines = linesOf(list);
          if (lines.length === 0) {
            return (
              <Empty icon={Waypoints} title={words.none}>
                <p>{words.noneHint}</p>
              </Empty>
            );
          }
          return (
            <>
              <RelationMap project={project} list={list} lines={lines} />
              <details>
                <summary>{words.asList}</summary>
                <ul class="relation-list">
                  {lines.map(({ from, field, to, many }) => (
                    <li key={`${from}.${field}`}>
                      <Link to={`/${project}/${from}/_definition`}>{words.line(from, field, to, many)}</Link>
                    </li>
                  ))}
                </ul>
              </details>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface MapProps {
  readonly project: string;
  readonly list: readonly Definition[];
  readonly lines: readonly Line[];
}

function RelationMap({ project, list, lines }: MapProps) {
  const boxes = layOut(list, lines);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const width = Math.max(...boxes.map(({ x }) => x)) + boxWidth + 48;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + 16;
  return (
    <div class="map-wrap">
      <svg
        class="map"
        viewBox={`-8 -8 ${width} ${height}`}
        width={width}
        height={height}
        role="group"
        aria-label={words.map}
      >
        <title>{words.map}</title>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {lines.map((line) => (
          <Arrow
            key={`${line.from}.${line.field}`}
            line={line}
            from={byId.get(line.from)}
            to={byId.get(line.to)}
          />
        ))}
        {boxes.map((box) => (
          <BoxLink key={box.id} project={project} box={box} />
        ))}
      </svg>
    </div>
  );
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A collection with its fields. */
function BoxLink({ project, box }: { project: string; box: Box }) {
  const { id, name, rows, more, height, x, y } = box;
  const lineAt = (row: number) => y + headHeight + row * rowHeight + 15;
  return (
    <g class="box">
      <Link to={`/${project}/${id}`} label={name}>
        <rect x={x} y={y} width={boxWidth} height={height} rx={6} />
        <text class="box-name" x={x + 12} y={y + 23}>
          {cut(name, 22)}
        </text>
      </Link>
      <path class="box-line" d={`M${x} ${y + headHeight - 2}h${boxWidth}`} />
      {rows.map((row, at) => (
        <g key={row.name}>
          <text x={x + 12} y={lineAt(at)}>
            {cut(row.name, 16)}
          </text>
          <text class="box-type" x={x + boxWidth - 12} y={lineAt(at)} text-anchor="end">
            {row.type}
          </text>
        </g>
      ))}
      {more > 0 && (
        <text class="box-type" x={x + 12} y={lineAt(rows.length)}>
          {words.more(more)}
        </text>
      )}
    </g>
  );
}

/** From the field to the head of the collection it points to. */
function Arrow({ line, from, to }: { line: Line; from: Box | undefined; to: Box | undefined }) {
  if (!from || !to) return null;
  const row = from.rows.findIndex(({ name }) => name === line.field);
  const [x1, y1] = [from.x + boxWidth, from.y + headHeight + row * rowHeight + 11];
  const isBack = from.id === to.id || to.x <= from.x;
  const [x2, y2] = [isBack ? to.x + boxWidth : to.x, to.y + headHeight / 2];
  const bend = Math.max(40, Math.abs(x2 - x1) / 2);
  const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 + (isBack ? bend : -bend)} ${y2} ${x2} ${y2}`;
  return (
    <g class={line.many ? 'arrow many' : 'arrow'}>
      <path d={path} marker-end="url(#arrow)" />
    </g>
  );
}
