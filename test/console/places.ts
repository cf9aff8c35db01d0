import type { Page } from 'playwright-core';

/** Every screen, and what can be opened in it: looked at by axe in both themes, and by people as pictures. */
export interface Place {
  readonly name: string;
  readonly path: string;
  /** There are no columns where records are cards. */
  readonly notOnPhone?: true;
  /** What of it is new, where the rest is looked at in another place: axe takes its time. */
  readonly within?: string;
  /** Brings it to where it is looked at. */
  readonly show: (page: Page) => Promise<unknown>;
}

const openRecord = async (page: Page) => {
  await page.getByText('Product 00003', { exact: true }).click();
  await page.getByRole('textbox', { name: 'title' }).waitFor();
};

export const places: readonly Place[] = [
  { name: 'projects', path: '/', show: (page) => page.getByRole('link', { name: 'The shop' }).waitFor() },
  {
    name: 'a new project',
    path: '/',
    show: async (page) => {
      await page.getByRole('button', { name: 'New project' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'collections',
    path: '/shop',
    show: (page) => page.getByRole('cell', { name: '3', exact: true }).waitFor(),
  },
  {
    name: 'settings',
    path: '/shop/_settings',
    show: (page) => page.getByLabel('Sign-up').waitFor(),
  },
  {
    name: 'deleting a project',
    path: '/shop/_settings',
    show: async (page) => {
      await page.getByRole('button', { name: 'Delete project' }).click();
      await page
        .getByRole('dialog')
        .getByText(/with [0-9]+ records/)
        .waitFor();
    },
  },
  { name: 'records', path: '/shop/products', show: (page) => page.getByText(/^[0-9]+ records$/).waitFor() },
  {
    name: 'filtered and selected records',
    path: '/shop/products?price>=3&brand=&sort=-price',
    show: (page) => page.getByText('No record matches').waitFor(),
  },
  {
    name: 'selected records',
    path: '/shop/products?price>=3&status!=live',
    show: async (page) => {
      await page.getByLabel('Select Product 00004').click();
      await page.getByText('1 selected').waitFor();
    },
  },
  { name: 'a record', path: '/shop/products', show: openRecord },
  {
    name: 'a record that is edited',
    path: '/shop/products',
    within: 'aside',
    show: async (page) => {
      await openRecord(page);
      await page.getByRole('textbox', { name: 'title' }).fill('Changed');
      await page.getByRole('combobox', { name: 'brand' }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'a record as JSON',
    path: '/shop/products',
    within: 'aside',
    show: async (page) => {
      await openRecord(page);
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'The record as JSON' }).waitFor();
    },
  },
  {
    name: 'a preview',
    path: '/shop/products',
    within: 'aside',
    show: async (page) => {
      await openRecord(page);
      await page.getByRole('textbox', { name: 'body' }).fill('# Heading\n\n<b>text</b> and *more*');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.frameLocator('iframe').getByRole('heading', { name: 'Heading' }).waitFor();
    },
  },
  {
    name: 'a record that is deleted',
    path: '/shop/brands',
    show: async (page) => {
      await page.getByText('Fjord', { exact: true }).click();
      const panel = page.getByRole('complementary', { name: 'Record' });
      await panel.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page
        .getByRole('dialog')
        .getByText(/Prevented by/)
        .waitFor();
    },
  },
  {
    name: 'records that are edited together',
    path: '/shop/products',
    show: async (page) => {
      await page.getByLabel('Select Product 00004').click();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Change status').check();
    },
  },
  {
    name: 'a filter',
    path: '/shop/products',
    show: async (page) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'view as',
    path: '/shop/brands',
    show: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'View as …' }).click();
      await page.getByRole('dialog').getByLabel('Who').selectOption('user');
    },
  },
  {
    name: 'columns',
    path: '/shop/products',
    notOnPhone: true,
    show: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the keys',
    path: '/shop',
    show: async (page) => {
      await page.getByRole('heading', { name: 'Collections' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    },
  },
  {
    name: 'users',
    path: '/shop/_users',
    show: (page) => page.getByRole('cell', { name: 'ann@example.com', exact: true }).waitFor(),
  },
  {
    name: 'a new user',
    path: '/shop/_users',
    show: async (page) => {
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'a user that is edited',
    path: '/shop/_users',
    show: async (page) => {
      await page.getByRole('button', { name: 'Actions for ann@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByRole('dialog').getByLabel('plan').waitFor();
    },
  },
  {
    name: 'webhooks',
    path: '/shop/_webhooks',
    show: (page) => page.getByText('Search index', { exact: true }).waitFor(),
  },
  {
    name: 'a new webhook',
    path: '/shop/_webhooks',
    show: async (page) => {
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByRole('dialog').getByLabel('Collections').fill('products');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByLabel('Fields').waitFor();
    },
  },
  {
    name: 'deliveries',
    path: '/shop/_webhooks',
    show: async (page) => {
      await page.getByRole('button', { name: 'Actions for Search index' }).click();
      await page.getByRole('menuitem', { name: 'Deliveries' }).click();
      await page.getByRole('dialog').getByText('brands.create').first().waitFor();
    },
  },
  {
    name: 'workspaces',
    path: '/shop/_workspaces',
    show: (page) => page.getByRole('cell', { name: 'North', exact: true }).waitFor(),
  },
  {
    name: 'members',
    path: '/shop/_workspaces',
    show: async (page) => {
      await page.getByRole('button', { name: 'Actions for North' }).click();
      await page.getByRole('menuitem', { name: 'Members' }).click();
      await page.getByRole('dialog').getByText('Nobody is a member yet.').waitFor();
    },
  },
  {
    name: 'server keys',
    path: '/shop/_keys',
    show: (page) => page.getByRole('cell', { name: 'Nightly', exact: true }).waitFor(),
  },
  {
    name: 'a new key',
    path: '/shop/_keys',
    show: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('What it is for').fill('Report');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('dialog').getByLabel('Server key').waitFor();
    },
  },
  {
    name: 'backups',
    path: '/shop/_backups',
    show: async (page) => {
      const made = page.getByText('good', { exact: true }).first();
      await page.getByRole('button', { name: 'Back up now' }).first().click();
      await made.waitFor();
    },
  },
  {
    name: 'a restore',
    path: '/shop/_backups',
    show: async (page) => {
      await page.getByRole('button', { name: 'Back up now' }).first().click();
      await page.getByRole('button', { name: 'Actions for' }).first().click();
      await page.getByRole('menuitem', { name: 'Restore' }).click();
      await page.getByLabel('Id of the project').fill('shop');
      await page.getByText('Replace the project').waitFor();
    },
  },
  {
    name: 'metrics',
    path: '/_metrics',
    show: async (page) => {
      await page.getByRole('img', { name: /^Requests: requests [0-9.]+;/ }).waitFor();
      await page.getByText('The figures as a table').click();
      await page.getByRole('heading', { name: 'Metrics' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'the audit',
    path: '/_audit?project=shop',
    show: (page) => page.getByRole('button', { name: 'collection.create' }).first().waitFor(),
  },
  {
    name: 'administrators',
    path: '/_administrators',
    show: async (page) => {
      await page.getByRole('button', { name: 'Invite' }).first().click();
      await page.getByLabel('Email').fill('bob@example.com');
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
    },
  },
  {
    name: 'a definition',
    path: '/shop/products/_definition',
    show: async (page) => {
      await page.getByRole('region', { name: 'Field title' }).waitFor();
      await page.getByRole('textbox', { name: 'The definition as JSON' }).waitFor();
      await page.getByText('Rules').first().click();
    },
  },
  {
    name: 'a plan of changes',
    within: 'dialog',
    path: '/shop/products/_definition',
    show: async (page) => {
      await page.getByRole('region', { name: 'Field body' }).getByLabel('Name', { exact: true }).fill('text');
      await page.getByRole('button', { name: 'Remove tags' }).click();
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByRole('dialog', { name: 'Values will be lost' }).waitFor();
    },
  },
  {
    name: 'a new collection',
    path: '/shop/_new',
    show: (page) => page.getByRole('button', { name: 'Create collection' }).waitFor(),
  },
  {
    name: 'access to a collection',
    path: '/shop/products/_access',
    show: async (page) => {
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('The caller sends no token.').waitFor();
    },
  },
  {
    name: 'access to all',
    path: '/shop/_access',
    show: (page) => page.getByRole('combobox', { name: 'Products: Create' }).waitFor(),
  },
  {
    name: 'relations',
    path: '/shop/_relations',
    show: (page) => page.getByRole('group', { name: 'Map of relations' }).waitFor(),
  },
  {
    name: 'the API',
    path: '/shop/products/_api',
    show: async (page) => {
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(/^200 in/).waitFor();
    },
  },
  {
    name: 'an import',
    path: '/shop/products/_import',
    show: async (page) => {
      const buffer = Buffer.from('title,price,colour\nLamp,5,red\n,x,\n');
      await page.getByLabel('File').setInputFiles({ name: 'lamps.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Check all rows' }).click();
      await page.getByText("1 row can't:").waitFor();
    },
  },
  {
    name: 'the palette',
    path: '/shop',
    show: async (page) => {
      await page.getByRole('heading', { name: 'Collections' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('prod');
      await page.getByRole('option', { name: /^Products/ }).waitFor();
    },
  },
  { name: 'nothing', path: '/shop/nothing', show: (page) => page.getByText('There is nothing').waitFor() },
];
