/** Texts of the frame around every screen, and of the way in. */
export const signIn = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  firstTime: 'First time here? Open the link that the server printed when it started.',
  key: "Administrator's key",
  keyHint: 'The VITRINE_ADMIN_KEY that the server was started with.',
  useKey: 'Use a key instead',
  usePassword: 'Use a password instead',
  expiredTitle: 'You have been signed out',
  expired:
    'Nothing happened here for 30 minutes, or the sign-in has ended. Your drafts are kept: sign in to go on where you were.',
  wrongKey: 'This is not the key that the server was started with.',
  code: 'Code from your authenticator app',
  confirmCode: 'Confirm',
} as const;

export const setup = {
  title: 'Set up Vitrine',
  intro: 'Choose how you will sign in as the administrator. This link works once.',
  submit: 'Create the administrator',
  passwordHint: '8 to 256 characters',
} as const;

export const nav = {
  main: 'Main',
  menu: 'Menu',
  goTo: 'Go to …',
  projects: 'Projects',
  allProjects: 'All projects',
  switchProject: 'Switch project',
  administrators: 'Administrators',
  collections: 'Collections',
  filterCollections: 'Filter collections',
  account: 'Account',
  signOut: 'Sign out',
  secondFactor: 'Second factor',
  adminKey: "Administrator's key",
  light: 'Light',
  dark: 'Dark',
  system: 'Same as system',
  settings: 'Settings',
  users: 'Users',
  workspaces: 'Workspaces',
  keys: 'Server keys',
  backups: 'Backups',
  metrics: 'Metrics',
  audit: 'Audit',
  access: 'Access',
  relations: 'Relations',
} as const;

export const keyboard = {
  title: 'Keyboard',
  keys: {
    'Ctrl K': 'Go to a collection, a screen or a record',
    '/': 'Search',
    '?': 'This list',
    '↑ ↓': 'Move in the list; with Shift, select on the way',
    Space: 'Select the record; with Shift, all up to it',
    Enter: 'Open the record; again, edit it',
    Escape: 'Close what is open, clear the selection',
    'Ctrl S':
      'Save the record, all that were changed in the list, the access or the settings; review a definition',
    'Ctrl Z': 'Undo the last save, deletion or discard, except while typing',
    Tab: 'Go to the next control',
  },
} as const;

export const secondFactor = {
  title: 'Second factor',
  intro: 'Scan this picture with an authenticator app, then type the code that it shows.',
  qr: 'QR code with the secret',
  secret: 'Secret',
  secretHint: "For an app that can't scan the picture.",
  code: 'Code from your authenticator app',
  codeOrRecovery: 'Code from your app, or a recovery code',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  isOn: 'It is on: signing in asks for a code from your app. To turn it off, prove that it is you.',
  offNow: 'Signing in no longer asks for a code',
  password: 'Password',
  codesTitle: 'Save the recovery codes',
  codesText:
    'Each signs you in once instead of a code, when you do not have your phone. They are shown only once.',
  codesLabel: 'Recovery codes',
  codesKept: 'I have saved them',
} as const;
