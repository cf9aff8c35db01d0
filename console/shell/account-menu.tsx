import { Check, CircleUser, LogOut, Monitor, Moon, Sun } from 'lucide';
import { admin } from '../api.ts';
import { Menu } from '../parts/menu.tsx';
import { endSession } from '../session.ts';
import { texts } from '../texts.ts';
import { type Theme, themes, useTheme } from '../theme.ts';

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

export function AccountMenu({ email }: { email: string | null }) {
  const [theme, chooseTheme] = useTheme();
  const themeItem = (one: Theme) => ({
    label: texts.nav[one],
    icon: one === theme ? Check : icons[one],
    checked: one === theme,
    run: () => chooseTheme(one),
  });
  const signOut = () => {
    // Over on this side whatever the server says.
    admin.logout().catch(() => {});
    endSession();
  };
  return (
    <div class="account">
      <Menu
        label={texts.nav.account}
        icon={CircleUser}
        class="account-button"
        items={[...themes.map(themeItem), 'line', { label: texts.nav.signOut, icon: LogOut, run: signOut }]}
      >
        <span class="cut">{email ?? texts.nav.adminKey}</span>
      </Menu>
    </div>
  );
}
