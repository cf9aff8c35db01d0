export function Logo() {
  return (
    <svg class="logo" width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <rect x="2" y="2" width="28" height="28" rx="7" fill="currentColor" />
      <path
        d="M9 10l7 13 7-13"
        fill="none"
        stroke="var(--surface)"
        stroke-width="3"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
