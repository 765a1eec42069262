"""check: one vector, in separate buffers, through the same statements that are timed."""

from __future__ import annotations

from calls.loops import loop
from calls.offers import Offer
from messages import Rejected, Unsupported


def check(offer: Offer, operation: str, form: str, *, key: bytes, nonce: bytes, aad: bytes, text: bytes) -> bytes:
    """The output for one input. Raises Rejected and Unsupported."""
    if operation == "key-setup":
        raise Unsupported("key-setup cannot be checked")
    if len(key) != offer.key:
        raise Unsupported(f"key of {len(key)} bytes; {offer.algorithm} takes {offer.key}")
    if len(nonce) not in (offer.nonces or [offer.nonce]):
        raise Unsupported(f"nonce of {len(nonce)} bytes; {offer.provider}'s {offer.algorithm} does not take it")
    offer.refuse(len(text))
    opens = operation in ("open", "decrypt")
    if opens and offer.tag and len(text) < offer.tag.size:
        raise Rejected
    calls = offer.nonce_calls if nonce and offer.nonce_calls else offer.calls
    names = {**offer.names(key), "key": key, "nonce": offer.before_nonce + nonce, "aad": aad}
    names.update((opening if opens else sealing)(offer, form, text))
    try:
        parts = loop(calls[operation, form], names).repeat(0, 0)
    except offer.rejections as error:
        if opens:  # sizes are checked above: only the input can be wrong
            raise Rejected from None
        raise Unsupported(f"{offer.provider} refuses: {error}") from None
    return b"".join(parts)


def sealing(offer: Offer, form: str, text: bytes) -> dict[str, object]:
    if form == "fresh":
        return {"source": text}
    target = memoryview(bytearray(offer.joined(len(text))))
    if form == "into":
        return {"source": memoryview(text), "target": target}
    source = offer.plain(target, len(text))
    source[:] = text
    return {"source": source, "target": target}


def opening(offer: Offer, form: str, text: bytes) -> dict[str, object]:
    if offer.bytes_only:
        return {"source": text}
    sealed, tag = offer.split(memoryview(text))
    message = len(text) - (offer.tag.size if offer.tag else 0)
    if form == "in-place":
        buffer = memoryview(bytearray(len(sealed)))
        return {"sealed": sealed, "sealed_tag": tag, "buffer": buffer, "target": offer.plain(buffer, message)}
    return {"source": sealed, "sealed_tag": tag, "target": memoryview(bytearray(message))}
