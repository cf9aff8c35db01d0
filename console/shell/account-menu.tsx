import { Check, CircleUser, LogOut, Monitor, Moon, Smartphone, Sun } from 'lucide';
import { useState } from 'preact/hooks';
import { admin } from '../api.ts';
import { deleteNowEverywhere } from '../model/pending-deletes.ts';
import { Later } from '../parts/later.tsx';
import { Menu } from '../parts/menu.tsx';
import { endSession } from '../session.ts';
import { texts } from '../texts.ts';
import { type Theme, themes, useTheme } from '../theme.ts';

const secondFactor = async () => (await import('../screens/second-factor/dialog.tsx')).SecondFactorDialog;

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

export function AccountMenu({ email }: { email: string | null }) {
  const [theme, chooseTheme] = useTheme();
  const [securing, setSecuring] = useState(false);
  const themeItem = (one: Theme) => ({
    label: texts.nav[one],
    icon: one === theme ? Check : icons[one],
    checked: one === theme,
    run: () => chooseTheme(one),
  });
  const signOut = async () => {
    await deleteNowEverywhere();
    // The session ends here even if this request fails.
    admin.logout().catch(() => {});
    endSession();
  };
  return (
    <div class="account">
      <Menu
        label={texts.nav.account}
        icon={CircleUser}
        class="account-button"
        items={[
          ...themes.map(themeItem),
          'line',
          // The administrator's key belongs to no account that could have a second factor.
          ...(email === null
            ? []
            : [{ label: texts.nav.secondFactor, icon: Smartphone, run: () => setSecuring(true) }]),
          { label: texts.nav.signOut, icon: LogOut, run: () => void signOut() },
        ]}
      >
        <span class="cut">{email ?? texts.nav.adminKey}</span>
      </Menu>
      {securing && <Later load={secondFactor} onClose={() => setSecuring(false)} />}
    </div>
  );
}
