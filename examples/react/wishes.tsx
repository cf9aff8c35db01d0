import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { VitrineError } from 'vitrine/client';
import { v } from './client.ts';

export function Wishes() {
  const queries = useQueryClient();
  const [title, setTitle] = useState('');
  const wishes = useQuery({
    queryKey: ['wishes'],
    queryFn: ({ signal }) => v.wishes.list({ sort: ['done', '-_createdAt'], perPage: 100, signal }),
  });
  const settle = { onSettled: () => queries.invalidateQueries({ queryKey: ['wishes'] }) };
  const add = useMutation({
    mutationFn: () => v.wishes.create({ title }),
    onSuccess: () => setTitle(''),
    ...settle,
  });
  type Wish = NonNullable<typeof wishes.data>['found'][number];
  const toggle = useMutation({
    // If another tab was faster, this is a 412, and the list shows the current state.
    mutationFn: (wish: Wish) => v.wishes.update(wish._id, { done: !wish.done }, { ifUnchanged: wish }),
    ...settle,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const fault = add.error instanceof VitrineError ? add.error.fields.title : undefined;
  return (
    <>
      <form onSubmit={submit}>
        <input aria-label="Title" value={title} onChange={(event) => setTitle(event.target.value)} />
        <button type="submit" disabled={add.isPending}>
          Add
        </button>
        {fault && <p role="alert">The title {fault}</p>}
      </form>
      {wishes.error && <p role="alert">{wishes.error.message}</p>}
      <ul>
        {wishes.data?.found.map((wish) => (
          <li key={wish._id}>
            <label>
              <input type="checkbox" checked={wish.done} onChange={() => toggle.mutate(wish)} /> {wish.title}
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}
