/** Derives an id from a name: `My Shöp & Co` becomes `my-shop-co`. */
export const proposeId = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '') // the dots of an ö, which is an o and these now
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
