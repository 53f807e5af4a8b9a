/** Where long words may be broken, so that none makes a table wider than the page; others stay whole (specification 19.13). */
import { Fragment, type ReactNode } from 'react'

/** Behind `_` and `.`, where names have them; what is longer without them, anywhere. */
export function breakLongWords(text: string): ReactNode {
  return text.split(/(?<=\w_|[A-Za-z]\.)(?=\w)/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part.split(/(\S{21,})/).map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          <span key={index} className="long-word">
            {piece}
          </span>
        ),
      )}
    </Fragment>
  ))
}
