import { Waypoints } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import { useCollections } from '../../api.ts';
import { Link } from '../../parts/link.tsx';
import { Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import type { ScreenProps } from '../../router.ts';
import { hrefOf } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type Box, boxHeight, boxWidth, type Line, layOut, linesOf } from './layout.ts';

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
  const height = Math.max(...boxes.map(({ y }) => y)) + boxHeight + 16;
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
        {boxes.map(({ id, name, x, y }) => (
          <a key={id} href={hrefOf(`/${project}/${id}`)} aria-label={name}>
            <rect x={x} y={y} width={boxWidth} height={boxHeight} rx={6} />
            <text x={x + 12} y={y + 25}>
              {name.length > 22 ? `${name.slice(0, 21)}…` : name}
            </text>
          </a>
        ))}
      </svg>
    </div>
  );
}

function Arrow({ line, from, to }: { line: Line; from: Box | undefined; to: Box | undefined }) {
  if (!from || !to) return null;
  const [x1, y1] = [from.x + boxWidth, from.y + boxHeight / 2];
  const [x2, y2] =
    from.id === to.id || to.x <= from.x ? [to.x + boxWidth, to.y + 8] : [to.x, to.y + boxHeight / 2];
  const bend = Math.max(40, Math.abs(x2 - x1) / 2);
  const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 + (x2 <= x1 ? bend : -bend)} ${y2} ${x2} ${y2}`;
  const isLoop = x2 <= x1;
  return (
    <g class={line.many ? 'arrow many' : 'arrow'}>
      <path d={path} marker-end="url(#arrow)" />
      <text
        x={isLoop ? x1 + 12 : (x1 + x2) / 2}
        y={(y1 + y2) / 2 - 6}
        text-anchor={isLoop ? 'start' : 'middle'}
      >
        {line.field}
      </text>
    </g>
  );
}
