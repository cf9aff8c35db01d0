import { encode } from 'uqr';

/** A text as a QR code; dark on light in both themes, because cameras need that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 3 });
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path class="qr-light" d={`M0 0h${size}v${size}H0z`} />
      <path class="qr-dark" d={dark} />
    </svg>
  );
}
