import type { Page, Request } from 'playwright-core';

/** Parts of the screens of records, as tests find them. */

export const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true });

/** The record that is open beside the list. */
export const panel = (page: Page) => page.getByRole('complementary', { name: 'Record' });

export const box = (page: Page, name: string) => panel(page).getByRole('textbox', { name });

/** Whether a request follows the changes of the list. */
export const isStream = (request: Request) => request.headers().accept === 'text/event-stream';
