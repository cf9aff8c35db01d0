import { useCollections } from '../../api.ts';
import { WithCollection } from '../../parts/collection-page.tsx';
import { Loaded } from '../../parts/notes.tsx';
import type { ScreenProps } from '../../router.ts';
import { Editor } from './editor.tsx';

export function DefinitionScreen({ params }: ScreenProps) {
  const { project = '' } = params;
  return (
    <WithCollection params={params}>
      {(saved, all) => <Editor project={project} saved={saved} collections={all} />}
    </WithCollection>
  );
}

export function NewCollectionScreen({ params: { project = '' } }: ScreenProps) {
  const collections = useCollections(project);
  return (
    <Loaded query={collections}>
      {(all) => <Editor project={project} saved={undefined} collections={all} />}
    </Loaded>
  );
}
