/** `1 record`, `1,200 records`. */
export const many = (count: number, one: string, more: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
