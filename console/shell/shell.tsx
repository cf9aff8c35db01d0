import { Menu as MenuIcon, Search, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useOffline } from '../offline.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { useProduction } from '../production.ts';
import { findScreen } from '../routes.ts';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { Keyboard } from './keyboard.tsx';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { ViewerBanner } from './viewer-banner.tsx';

interface ShellProps {
  readonly path: string;
  readonly email: string | null;
  readonly children: ComponentChildren;
}

/** The navigation beside the screen; on a phone it is opened by a button. */
export function Shell({ path, email, children }: ShellProps) {
  const [open, setOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const offline = useOffline();
  useEffect(() => setOpen(false), [path]);
  const production = useProduction(path.split('/')[1] ?? '');
  return (
    <div class={`shell${open ? ' open' : ''}${production ? ' production' : ''}`}>
      <a class="skip" href="#content">
        {texts.skipToContent}
      </a>
      <header class="topbar">
        <Button
          kind="quiet"
          icon={open ? X : MenuIcon}
          label={texts.nav.menu}
          onClick={() => setOpen(!open)}
        />
        <Link to="/" class="brand">
          <Logo /> {texts.product}
        </Link>
      </header>
      <nav class="side" aria-label={texts.nav.main}>
        <Link to="/" class="brand">
          <Logo /> {texts.product}
        </Link>
        <button type="button" class="go-to" onClick={() => setPaletteOpen(true)}>
          <Icon icon={Search} size={14} /> <span class="grow">{texts.nav.goTo}</span> <kbd>Ctrl K</kbd>
        </button>
        <Navigation path={path} />
        <AccountMenu email={email} />
      </nav>
      <div class="stage">
        {offline && (
          <div class="banner" role="alert">
            {texts.offline}
          </div>
        )}
        <ViewerBanner project={path.split('/')[1] ?? ''} />
        {children}
      </div>
      <Keyboard />
      <Palette project={findScreen(path)?.params.project} open={isPaletteOpen} onOpen={setPaletteOpen} />
    </div>
  );
}
