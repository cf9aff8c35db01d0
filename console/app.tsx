import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { forgetSecrets } from './model/typed-secrets.ts';
import { forgetDeeds } from './model/undo.ts';
import { Dialog } from './parts/dialog.tsx';
import { NotFound } from './parts/not-found.tsx';
import { ErrorNote, Skeleton } from './parts/notes.tsx';
import { Toasts } from './parts/toasts.tsx';
import { queries } from './queries.ts';
import { consoleBase, type ScreenProps, usePlace } from './router.ts';
import { findScreen, type Screen } from './routes.ts';
import { SignInForm } from './screens/sign-in/form.tsx';
import { SignInPage } from './screens/sign-in/page.tsx';
import { SetupPage } from './screens/sign-in/setup.tsx';
import { useSession } from './session.ts';
import { Shell } from './shell/shell.tsx';
import { texts } from './texts.ts';
import { viewAs } from './viewer.ts';

export function App() {
  const { path, hash } = usePlace();
  const session = useSession();
  // A project may be called 'setup', so the path alone does not tell: a set-up link has its token in the hash. #content is
  // the 'Skip to content' link.
  const settingUp = path === '/setup' && hash !== '' && hash !== 'content';
  const begun = useRef(false);
  useEffect(() => {
    // What was fetched in the previous session, or failed when it ended, is fetched again.
    if (session.kind === 'in' && begun.current) void queries.invalidateQueries();
    begun.current = true;
    if (session.kind === 'out') {
      queries.clear();
      forgetSecrets();
      forgetDeeds();
      viewAs({ kind: 'administrator' });
    }
  }, [session.kind]);
  return (
    <>
      {settingUp ? (
        <SetupPage token={hash} />
      ) : session.kind === 'out' ? (
        <SignInPage />
      ) : session.kind === 'asking' ? null : (
        <>
          {/* Stays mounted, so that nothing typed is lost, but hidden from whoever passes by. */}
          <div class={session.kind === 'expired' ? 'app hidden' : 'app'}>
            <Shell path={path} email={session.email}>
              <CurrentScreen path={path} />
            </Shell>
          </div>
          {session.kind === 'expired' && (
            <Dialog title={texts.signIn.expiredTitle} onClose={() => {}} firm>
              <p>{texts.signIn.expired}</p>
              <SignInForm email={session.email ?? ''} />
            </Dialog>
          )}
        </>
      )}
      <Toasts />
    </>
  );
}

/** Reloads the page, as a server of another version has other files; but not while the server is unreachable. */
async function loadAnew(): Promise<void> {
  try {
    await fetch(consoleBase, { method: 'HEAD' });
    location.reload();
  } catch {} // the error note on the screen already says so
}

const loaded = new Map<Screen, ComponentType<ScreenProps>>();

function CurrentScreen({ path }: { path: string }) {
  const found = findScreen(path);
  const screen = found?.screen;
  const [, render] = useState({});
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    setFailed(false);
    if (!screen?.load || loaded.has(screen)) return;
    screen.load().then(
      (component) => {
        loaded.set(screen, component);
        render({});
      },
      () => setFailed(true),
    );
  }, [screen]);
  if (!found) {
    return (
      <main id="content" class="page" tabIndex={-1}>
        <NotFound />
      </main>
    );
  }
  const Component = found.screen.component ?? loaded.get(found.screen);
  if (!Component && failed) return <ErrorNote message={texts.notLoaded} onRetry={() => void loadAnew()} />;
  if (!Component) return <Skeleton />;
  // The key makes the screen of another project or collection start with fresh state.
  return <Component key={JSON.stringify([found.screen.pattern, found.params])} params={found.params} />;
}
