import {
  Bookmark,
  Columns3,
  Download,
  Ellipsis,
  Eye,
  Link2,
  Plus,
  RefreshCw,
  SquarePen,
  Terminal,
} from 'lucide';
import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge } from '../../parts/notes.tsx';
import { ViewAs } from '../../parts/view-as.tsx';
import { texts } from '../../texts.ts';
import type { Column } from './columns.ts';
import { ColumnsDialog } from './columns-dialog.tsx';
import { curlOf, downloadList, sdkOf, urlOf } from './list-code.ts';
import { ViewsMenu } from './views-menu.tsx';

interface HeadActionsProps {
  readonly project: string;
  readonly definition: Definition;
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  /** Whether a click edits a cell in place. */
  readonly inPlace: boolean;
  readonly onInPlace: () => void;
  /** There is a draft of a new record, which no row shows. */
  readonly hasNewDraft: boolean;
  readonly onCreate: () => void;
  readonly onReload: () => void;
  readonly onColumns: (columns: readonly Column[] | undefined) => void;
  readonly onView: (query: string) => void;
}

export function HeadActions(props: HeadActionsProps) {
  const { project, definition, query, columns, onCreate, onReload, onColumns } = props;
  const [choosing, setChoosing] = useState(false);
  const [viewing, setViewing] = useState(false);
  const what = { project, definition, query, columns };
  const formats = ['csv', 'xlsx', 'json', 'ndjson'] as const;
  return (
    <>
      <Button kind="quiet" icon={RefreshCw} label={texts.list.reload} onClick={onReload} />
      <Button
        kind="quiet"
        class="not-on-phone"
        icon={SquarePen}
        label={texts.list.inPlace}
        pressed={props.inPlace}
        onClick={props.onInPlace}
      />
      <Button
        kind="quiet"
        class="not-on-phone"
        icon={Columns3}
        label={texts.list.columns}
        onClick={() => setChoosing(true)}
      />
      <ViewsMenu {...props} icon={Bookmark} />
      <Menu
        label={texts.list.export}
        icon={Download}
        items={formats.map((format) => ({
          label: texts.list.exportAs(format.toUpperCase()),
          run: () => void downloadList(what, format),
        }))}
      />
      <Menu
        label={texts.more}
        icon={Ellipsis}
        items={[
          { label: texts.viewAs.title, icon: Eye, run: () => setViewing(true) },
          'line',
          { label: texts.list.copyLink, icon: Link2, run: () => copyText(location.href) },
          { label: texts.list.copyUrl, icon: Link2, run: () => copyText(urlOf(what)) },
          { label: texts.list.copyCurl, icon: Terminal, run: () => copyText(curlOf(what)) },
          { label: texts.list.copySdk, icon: Terminal, run: () => copyText(sdkOf(what)) },
        ]}
      />
      <Button kind="primary" icon={Plus} onClick={onCreate}>
        {texts.list.newRecord} {props.hasNewDraft && <Badge kind="warn">{texts.list.draft}</Badge>}
      </Button>
      {viewing && <ViewAs project={project} onClose={() => setViewing(false)} />}
      {choosing && (
        <ColumnsDialog
          definition={definition}
          columns={columns}
          onColumns={onColumns}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
