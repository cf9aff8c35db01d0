import { Eye } from 'lucide';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { texts } from '../texts.ts';
import { useViewer, viewAs } from '../viewer.ts';

/** Says as whom the records are shown, while that is not the administrator. */
export function ViewerBanner({ project }: { project: string }) {
  const viewer = useViewer(project);
  if (viewer.kind === 'administrator') return null;
  return (
    <div class="banner viewer" role="status">
      <Icon icon={Eye} />
      <span class="grow">
        {viewer.kind === 'nobody' ? texts.viewAs.nobodyNow : texts.viewAs.tokenNow(viewer.name)}
      </span>
      <Button onClick={() => viewAs({ kind: 'administrator' })}>{texts.viewAs.stop}</Button>
    </div>
  );
}
