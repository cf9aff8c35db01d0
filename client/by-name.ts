/** The form of a collection's id, which `toString`, `toJSON` and the like do not have. */
const idForm = /^[a-z][a-z0-9_-]*$/;

/** The members of `own`, and a collection for every other name. `then` is left out: `await` would take the object for a promise. */
export function byName<T extends object, C>(own: T, collection: (name: string) => C): T & Record<string, C> {
  return new Proxy(own, {
    get: (target, name) =>
      typeof name === 'symbol' || name === 'then' || Object.hasOwn(target, name) || !idForm.test(name)
        ? Reflect.get(target, name)
        : collection(name),
  }) as T & Record<string, C>;
}

/** The same thing for the same name. */
export function remembered<C>(make: (name: string) => C): (name: string) => C {
  const made = new Map<string, C>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}
