import { FolderOpen, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { useProjects } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Link } from '../../parts/link.tsx';
import { Badge, Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { isProduction } from '../../production.ts';
import { texts } from '../../texts.ts';
import { CreateProject } from './create-project.tsx';
import { NewestBackup } from './newest-backup.tsx';
import { ProjectSize } from './project-size.tsx';

const { projects: words } = texts;

export function ProjectsScreen() {
  const projects = useProjects();
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Loaded query={projects}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={FolderOpen} title={words.none}>
              <p>{words.noneHint}</p>
              {create}
            </Empty>
          ) : (
            <ul class="cards">
              {list.map(({ id, name }) => (
                <li key={id} class="card">
                  <Link to={`/${id}`} class="card-link">
                    <strong class="cut">{name}</strong>
                    <span class="quiet mono cut">{id}</span>
                  </Link>
                  <ProjectSize project={id} />
                  <span class="card-foot quiet">
                    <span>
                      {texts.backups.newest}: <NewestBackup project={id} />
                    </span>
                    {isProduction(id) && <Badge kind="production">{words.production}</Badge>}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <p class="version quiet">{texts.version(process.env.VITRINE_VERSION ?? '')}</p>
      {creating && <CreateProject onClose={() => setCreating(false)} />}
    </Page>
  );
}
