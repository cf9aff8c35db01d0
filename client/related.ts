type Last<Path extends string> = Path extends `${string}.${infer Rest}` ? Last<Rest> : Path;
type Records = readonly { readonly _id: string }[];

/** Where `fields` left the relation out, there is nothing to look up. */
type Holds<Owner, Path extends string> = string extends keyof Owner
  ? unknown
  : { readonly [K in Last<Path>]: unknown };

/** The related record, or records, of one of a page's records: looked up in what `include` brought along. */
export function related<
  Included extends { readonly [path: string]: Records },
  Path extends keyof Included & string,
  Owner extends object,
>(
  page: { readonly _include: Included },
  record: Owner & Holds<Owner, Path>,
  path: Path,
): Owner extends { readonly [K in Last<Path>]: readonly string[] }
  ? Included[Path][number][]
  : Included[Path][number] | undefined {
  const field = path.slice(path.lastIndexOf('.') + 1);
  const value = (record as Readonly<Record<string, unknown>>)[field];
  const there: Records = page._include[path] ?? [];
  const find = (id: unknown) => there.find(({ _id }) => _id === id);
  const found = Array.isArray(value) ? value.flatMap((id) => find(id) ?? []) : find(value);
  return found as ReturnType<typeof related<Included, Path, Owner>>;
}
