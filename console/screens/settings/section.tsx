import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ComponentChildren;
}

/** A group of settings, with an explanation beside it. */
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
