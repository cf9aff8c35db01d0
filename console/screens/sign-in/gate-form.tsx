import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import type { Form } from '../../parts/use-form.ts';

interface GateFormProps {
  readonly form: Pick<Form<object>, 'busy' | 'error' | 'isElsewhere' | 'run'>;
  readonly action: string;
  readonly children: ComponentChildren;
  /** Shown below the button. */
  readonly otherwise?: ComponentChildren;
}

/** A form for users who are not signed in. */
export function GateForm({ form, action, children, otherwise }: GateFormProps) {
  const element = useRef<HTMLFormElement>(null);
  // The first empty input gets the focus.
  useLayoutEffect(() => {
    const inputs = [...(element.current?.querySelectorAll('input') ?? [])];
    inputs.find(({ value, readOnly }) => value === '' && !readOnly)?.focus();
  }, []);
  return (
    <form ref={element} class="stack" onSubmit={(event) => void form.run(event)}>
      {children}
      {form.isElsewhere && <ErrorNote message={messageOf(form.error)} />}
      <Button kind="primary" type="submit" busy={form.busy}>
        {action}
      </Button>
      {otherwise}
    </form>
  );
}
