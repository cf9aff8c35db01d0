import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Loaded } from '../../parts/notes.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';

const { definition: words } = texts;

interface DeleteProps {
  readonly project: string;
  readonly collection: Definition;
}

export function DeleteCollection({ project, collection }: DeleteProps) {
  const [asking, setAsking] = useState(false);
  return (
    <section class="danger-zone">
      <h2>{texts.projects.danger}</h2>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      {asking && <Ask project={project} collection={collection} onClose={() => setAsking(false)} />}
    </section>
  );
}

function Ask({ project, collection, onClose }: DeleteProps & { onClose: () => void }) {
  const { id, name = id } = collection;
  const { collections } = admin.project(project);
  const stats = useQuery({
    key: ['project', project, 'stats', id],
    load: () => collections.stats(id),
    fresh: 0,
  });
  const remove = async () => {
    await collections.delete(id, { confirm: 'destructive' });
    navigate(`/${project}`, { replace: true });
    toast({ text: words.removed(name) });
    void refresh('project', project, 'collections');
  };
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.remove}
      typed={id}
      onConfirm={remove}
      onClose={onClose}
    >
      <Loaded query={stats} lines={1}>
        {({ records }) => <p>{words.removeText(texts.records(records))}</p>}
      </Loaded>
    </Confirm>
  );
}
