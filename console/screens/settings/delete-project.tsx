import { useState } from 'preact/hooks';
import type { Project } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Loaded } from '../../parts/notes.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';

const { projects: words } = texts;

export function DeleteProject({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false);
  return (
    <section class="danger-zone">
      <h2>{words.danger}</h2>
      <p>{words.deleteIntro}</p>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.deleteAction}
      </Button>
      {asking && <Ask project={project} onClose={() => setAsking(false)} />}
    </section>
  );
}

function Ask({ project: { id, name }, onClose }: { project: Project; onClose: () => void }) {
  const losses = useQuery({ key: ['project', id, 'losses'], load: () => countLosses(id), fresh: 0 });
  const confirm = async () => {
    await admin.projects.delete(id, { confirm: 'destructive' });
    navigate('/', { replace: true });
    toast({ text: words.deleted(name) });
    void refresh('projects');
  };
  return (
    <Confirm
      title={words.deleteTitle(name)}
      action={words.deleteAction}
      typed={id}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Loaded query={losses} lines={1}>
        {({ collections, records }) => <p>{words.deleteLoses(collections, records)}</p>}
      </Loaded>
    </Confirm>
  );
}

async function countLosses(project: string): Promise<{ collections: number; records: number }> {
  const { collections } = admin.project(project);
  const all = await everyPage((page) => collections.list(page));
  let records = 0;
  for (const { id } of all) records += (await collections.stats(id)).records;
  return { collections: all.length, records };
}
