import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { places } from './places.ts';
import { makeShop, startConsole } from './world.ts';

/**
 * `npm run screenshots`: a picture of every screen in both themes and on a phone, in `screenshots/`. Look at them as somebody who
 * has never seen the product. With a word only those whose name has it; `docs` makes those of the documentation.
 */
const folder = join(import.meta.dirname, '../../screenshots');
const looks = { light: {}, dark: { dark: true }, phone: { phone: true } } as const;
const wanted = process.argv[2];

async function everyScreen(): Promise<void> {
  const world = await startConsole();
  if (!world) process.exit(1);
  await mkdir(folder, { recursive: true });
  await makeShop(world, 'shop', 30);
  for (const [look, options] of Object.entries(looks)) {
    for (const { name, path, show, notOnPhone } of places) {
      if (notOnPhone && look === 'phone') continue;
      if (wanted !== undefined && !name.includes(wanted)) continue;
      const page = await world.at(path, options);
      page.setDefaultTimeout(5_000);
      const file = join(folder, `${name.replaceAll(' ', '-')}-${look}.png`);
      await show(page).catch((error: unknown) =>
        console.log(`${name}, ${look}: ${String(error).split('\n')[0]}`),
      );
      await page.waitForTimeout(250);
      await page.screenshot({ path: file });
      await page.context().close();
    }
  }
  await world.close();
  console.log(`the pictures are in ${folder}`);
}

/** Those of the documentation, of what `npm start` shows. */
async function documentation(): Promise<void> {
  const world = await startConsole({ demo: true });
  if (!world) process.exit(1);
  const images = join(import.meta.dirname, '../../docs/images');
  await mkdir(images, { recursive: true });
  const page = await world.at('/demo/products?sort=-price&fields=title,sku,price,inStock,tags,brand');
  await page.getByText('Enamel kettle').click();
  await page.getByRole('textbox', { name: 'title' }).waitFor();
  await page.getByRole('textbox', { name: 'price' }).fill('52');
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(images, 'console-records.png') });
  await world.close();
}

await (wanted === 'docs' ? documentation() : everyScreen());
process.exit(0);
