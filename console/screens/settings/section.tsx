import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ComponentChildren;
}

/** What belongs together, with what it is for beside it. */
export function Section({ title, hint, children }: SectionProps) {
  return (
    <section class="settings-section" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p class="quiet">{hint}</p>
      </div>
      <div class="stack">{children}</div>
    </section>
  );
}
