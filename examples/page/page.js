import { createClient, related, VitrineError } from 'vitrine/client';

const server = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:8090';
const v = createClient(server, { project: 'library' });
const [search, list, more, message] = ['search', 'books', 'more', 'message'].map((id) =>
  document.getElementById(id),
);

let pages; // the iterator over the pages that are shown
let latest = new AbortController();

/** Shows the next ten books, with their authors. */
async function showNext() {
  try {
    const { value: page, done } = await pages.next();
    if (done) return; // a second click while the last page was on its way
    for (const book of page.found) {
      const item = document.createElement('li');
      const author = related(page, book, 'author');
      item.textContent = author ? `${book.title}, ${author.name}` : book.title;
      list.append(item);
    }
    more.hidden = page.next === null;
    message.textContent = list.childElementCount === 0 ? 'Nothing found' : '';
  } catch (error) {
    if (error instanceof VitrineError) message.textContent = error.message;
    else if (error.name !== 'AbortError') throw error;
  }
}

/** While the user types, only the response to the latest input is shown. */
function begin() {
  latest.abort();
  latest = new AbortController();
  list.replaceChildren();
  const walk = v.books.all({
    ...(search.value && { search: search.value }),
    sort: 'title',
    include: ['author'],
    perPage: 10,
    signal: latest.signal,
  });
  pages = walk.pages()[Symbol.asyncIterator]();
  return showNext();
}

search.addEventListener('input', begin);
more.addEventListener('click', showNext);
begin();
